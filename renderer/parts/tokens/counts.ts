/** The number of tokens of one type in one primary container. */
export type Count = { readonly type: string; readonly container: string; readonly tokens: number }

export type ContainerNode = {
  readonly scope: string
  readonly name: string
  readonly depth: number
  readonly tokens: number
}

/** Every container and its ancestors in tree order, each with the number of tokens in it and below. */
export function buildContainerTree(counts: readonly Count[]): ContainerNode[] {
  const tokens = new Map<string, number>()
  for (const count of counts) {
    const names = count.container.split('/').filter((name) => name !== '')
    const scopes = names.map((_, index) => `/${names.slice(0, index + 1).join('/')}/`)
    for (const scope of scopes.length > 0 ? scopes : ['/'])
      tokens.set(scope, (tokens.get(scope) ?? 0) + count.tokens)
  }
  return [...tokens]
    .map(([scope, tokens]) => {
      const names = scope.split('/').filter((name) => name !== '')
      return { scope, tokens, name: names.at(-1) ?? '/', depth: Math.max(0, names.length - 1) }
    })
    .sort((a, b) => (a.scope < b.scope ? -1 : 1))
}
