type FoundTest = { readonly name: string; readonly tags: readonly string[]; readonly state: string }

/** Returns why none of these tests ran with this pattern of names, or null if one ran. */
export function explainNoTest(tests: readonly FoundTest[], pattern: string | RegExp = ''): string | null {
  if (tests.some(({ state }) => state !== 'skipped')) return null
  // Vitest matches the names of suites and test, joined by spaces.
  const named = tests.filter(({ name }) => new RegExp(pattern).test(name.replaceAll(' > ', ' ')))
  if (named.some(({ tags }) => tags.includes('thorough')))
    return 'No test ran, because only the thorough tests include these. Add --mode thorough.'
  return `No test ran${pattern ? `, because none matches -t "${pattern}"` : ''}.`
}
