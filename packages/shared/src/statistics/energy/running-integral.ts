/**
 * Running integral of values over x by the trapezoid rule, beginning with 0. A missing value has no integral; the next
 * trapezoid after it begins with its own value.
 *
 *     runningIntegral([0, 1, 3], [2, 4, 4]); // [0, 3, 11]
 */
export function runningIntegral(x: readonly number[], values: readonly (number | null)[]): (number | null)[] {
  let total = 0;
  return values.map((value, index) => {
    const before = values[index - 1] ?? value;
    if (value === null || before === null) return null;
    if (index > 0) total += ((before + value) / 2) * ((x[index] ?? 0) - (x[index - 1] ?? 0));
    return total;
  });
}
