/** Lanczos' approximation with g = 7. */
const COEFFICIENTS = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];
const G = 7;

/** The gamma function of a positive number, to about 15 digits. */
export function gamma(value: number): number {
  if (value < 0.5) return Math.PI / (Math.sin(Math.PI * value) * gamma(1 - value));
  const x = value - 1;
  const sum = COEFFICIENTS.reduce(
    (total, coefficient, index) => total + coefficient / (x + index + 1),
    0.9999999999998099,
  );
  const base = x + G + 0.5;
  return Math.sqrt(2 * Math.PI) * base ** (x + 0.5) * Math.exp(-base) * sum;
}
