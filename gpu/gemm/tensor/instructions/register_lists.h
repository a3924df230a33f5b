#pragma once

// The elements of an array D as operands of one instruction, and the names that they have there: `how` is "+f", "=f" or "+r".

#define GEMMLAB_FOUR(how, i) how(D[i]), how(D[i + 1]), how(D[i + 2]), how(D[i + 3])
#define GEMMLAB_SIXTEEN(how, i) \
  GEMMLAB_FOUR(how, i), GEMMLAB_FOUR(how, i + 4), GEMMLAB_FOUR(how, i + 8), GEMMLAB_FOUR(how, i + 12)
#define GEMMLAB_D16(how) GEMMLAB_SIXTEEN(how, 0)
#define GEMMLAB_D32(how) GEMMLAB_SIXTEEN(how, 0), GEMMLAB_SIXTEEN(how, 16)
#define GEMMLAB_D64(how) GEMMLAB_D32(how), GEMMLAB_SIXTEEN(how, 32), GEMMLAB_SIXTEEN(how, 48)
#define GEMMLAB_D96(how) GEMMLAB_D64(how), GEMMLAB_SIXTEEN(how, 64), GEMMLAB_SIXTEEN(how, 80)
#define GEMMLAB_D128(how) GEMMLAB_D96(how), GEMMLAB_SIXTEEN(how, 96), GEMMLAB_SIXTEEN(how, 112)

#define GEMMLAB_NAMES16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define GEMMLAB_NAMES32                                                    \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define GEMMLAB_NAMES64                                                                \
  GEMMLAB_NAMES32                                                                      \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define GEMMLAB_NAMES96                                                                \
  GEMMLAB_NAMES64                                                                      \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define GEMMLAB_NAMES128                                                                       \
  GEMMLAB_NAMES96                                                                              \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "   \
  "%111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, " \
  "%126, %127"
