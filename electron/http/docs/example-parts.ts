/** Returns the parts of an example multipart body: strings unchanged, everything else as JSON. */
export function toExampleParts(example: unknown): { name: string; type: string; text: string }[] {
  return Object.entries(example as Record<string, unknown>).map(([name, value]) =>
    typeof value === 'string'
      ? { name, type: 'text/plain', text: value }
      : { name, type: 'application/json', text: JSON.stringify(value) },
  )
}
