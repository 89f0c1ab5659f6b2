/**
 * The packages that code may require without adding them (rule F-03), with their versions. Null for a package that is
 * the same in every version.
 */
export const includedPackages: Readonly<Record<string, string | null>> = {
  '@basis-theory/basis-theory-js': '4.30.2',
  '@basis-theory/basis-theory-reactor-formulas-sdk-js': null,
  '@basis-theory/node-sdk': '5.7.0',
  '@basis-theory/node-sdk-2': '2.6.1',
}
