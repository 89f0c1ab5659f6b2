import { readFile } from 'node:fs/promises'
import type { Plugin } from 'vite'

const COMPONENT = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/
const STYLES = /@mantine\/core\/styles\/([\w-]+)\.css/g

/** Styles that every page needs, whatever components it uses. */
const COMMON = ['baseline', 'default-css-variables', 'global']

/**
 * Creates a plugin that fails the build unless the style sheet `list` imports the styles of exactly those Mantine
 * components that the window uses. Mantine's single sheet for all of them is twice as large.
 */
export function mantineStyles(list: URL): Plugin {
  return {
    name: 'mantine-styles',
    async generateBundle(_options, bundle) {
      const listed = new Set(
        [...(await readFile(list, 'utf8')).matchAll(STYLES)].map(([, name = '']) => name),
      )
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      const used = new Set([...COMMON, ...modules.flatMap((id) => COMPONENT.exec(id)?.[1] ?? [])])
      const missing = [...used].filter((name) => !listed.has(name))
      const unused = [...listed].filter((name) => !used.has(name))
      if (missing.length > 0) this.error(`mantine.css lacks the styles of ${missing.join(', ')}.`)
      if (unused.length > 0) this.error(`mantine.css has styles of ${unused.join(', ')}, which nothing uses.`)
    },
  }
}
