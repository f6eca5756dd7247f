#include "app/gl/shader_program.h"

#include <algorithm>
#include <string>

#include "kernels/text/error.h"
#include "shaders/shaders.h"

namespace convoscope::gl {
namespace {

std::string names(std::initializer_list<std::string_view> files) {
  std::string text;
  for (const std::string_view file : files) text += (text.empty() ? "" : " + ") + std::string(file);
  return text;
}

std::string info_log(GLuint object, decltype(glGetShaderiv) get, decltype(glGetShaderInfoLog) log) {
  GLint length = 0;
  get(object, GL_INFO_LOG_LENGTH, &length);
  std::string text(static_cast<std::size_t>(std::max(length, 1)), '\0');
  log(object, length, nullptr, text.data());
  text.erase(text.find_last_not_of(std::string("\0\n ", 3)) + 1);
  return text;
}

Shader compile(GLenum stage, std::initializer_list<std::string_view> files) {
  std::string source = "#version 450 core\n";
  int number = 0;
  for (const std::string_view file : files) {
    const std::string_view text = shader_source(file);
    if (text.empty()) throw Error("The shader " + std::string(file) + " is not in this build.");
    source += "#line 1 " + std::to_string(number++) + "\n" + std::string(text);
  }
  Shader shader(glCreateShader(stage));
  const char* pointer = source.c_str();
  glShaderSource(shader.get(), 1, &pointer, nullptr);
  glCompileShader(shader.get());
  GLint compiled = 0;
  glGetShaderiv(shader.get(), GL_COMPILE_STATUS, &compiled);
  if (!compiled)
    throw Error("The graphics driver does not accept the shader " + names(files) + ": " +
                info_log(shader.get(), glGetShaderiv, glGetShaderInfoLog) + " Update the driver.");
  return shader;
}

Program link(std::initializer_list<const Shader*> shaders, std::initializer_list<std::string_view> files) {
  Program program(glCreateProgram());
  for (const Shader* shader : shaders) glAttachShader(program.get(), shader->get());
  glLinkProgram(program.get());
  GLint linked = 0;
  glGetProgramiv(program.get(), GL_LINK_STATUS, &linked);
  if (!linked)
    throw Error("The graphics driver does not link the shader " + names(files) + ": " +
                info_log(program.get(), glGetProgramiv, glGetProgramInfoLog) + " Update the driver.");
  return program;
}

}  // namespace

Program link_program(std::initializer_list<std::string_view> vertex_files,
                     std::initializer_list<std::string_view> fragment_files) {
  const Shader vertex = compile(GL_VERTEX_SHADER, vertex_files);
  const Shader fragment = compile(GL_FRAGMENT_SHADER, fragment_files);
  return link({&vertex, &fragment}, fragment_files);
}

Program link_compute_program(std::initializer_list<std::string_view> files) {
  const Shader shader = compile(GL_COMPUTE_SHADER, files);
  return link({&shader}, files);
}

}  // namespace convoscope::gl
