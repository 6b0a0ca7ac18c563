// holdfast/export.h - marks what the shared library shows.

#pragma once

#define HOLDFAST_EXPORT [[gnu::visibility("default")]]
