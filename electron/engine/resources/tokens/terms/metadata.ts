/** Returns the metadata pairs of a stored token. */
export function getMetadataPairs({ metadata }: { readonly metadata: string | null }): [string, string][] {
  return metadata === null ? [] : Object.entries(JSON.parse(metadata) as Record<string, string>)
}
