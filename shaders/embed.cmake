# cmake -DSHADERS=a;b -DOUTPUT=x.cpp -P embed.cmake: writes the table that shader_source() looks names up in.
set(rows "")
foreach(path ${SHADERS})
  get_filename_component(name ${path} NAME)
  file(READ ${path} source)
  string(APPEND rows "    {\"${name}\", R\"glsl(${source})glsl\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"shaders/shaders.h\"

namespace convoscope {
namespace {

struct Shader {
  std::string_view name, source;
};

constexpr Shader shaders[] = {
${rows}};

}  // namespace

std::string_view shader_source(std::string_view name) {
  for (const Shader& shader : shaders)
    if (shader.name == name) return shader.source;
  return {};
}

}  // namespace convoscope
")
