#pragma once
// How the weights of the catalogue's filters are computed. Part of filter_catalogue.cpp.
#include <initializer_list>
#include <span>

#include "kernels/contract/data/filter.h"

namespace convoscope::shapes {

Filter identity(std::span<const double>);
Filter box(std::span<const double> radius_rx_ry);
Filter gaussian(std::span<const double> radius_sigma);
Filter binomial(std::span<const double> radius);
Filter disk(std::span<const double> radius);
Filter motion(std::span<const double> length_angle);
Filter sharpen(std::span<const double> amount);
Filter unsharp(std::span<const double> radius_sigma_amount);
Filter laplacian(std::span<const double> neighbours);
Filter laplacian_of_gaussian(std::span<const double> radius_sigma);
Filter emboss(std::span<const double> strength);
Filter custom(std::span<const double> rx_ry);

// smoothing: the three weights across the derivative −1 0 1; {1, 2, 1} is Sobel's.
Filter derivative_x(std::initializer_list<double> smoothing);
Filter derivative_y(std::initializer_list<double> smoothing);
Filter gradient_magnitude(std::initializer_list<double> smoothing);

}  // namespace convoscope::shapes
