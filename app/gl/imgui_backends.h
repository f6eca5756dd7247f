#pragma once
// Distributions put ImGui's backends either in a folder of their own or beside imgui.h.
#include <imgui.h>
#if __has_include(<backends/imgui_impl_opengl3.h>)
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#else
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#endif
