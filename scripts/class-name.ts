import path from 'node:path'

/**
 * Names a class of a CSS module after its file, so that the page's classes are readable: `headName` of
 * `grid.module.css` becomes `grid-head-name`, and `root` becomes `grid`. `check-styles.ts` keeps these names unique.
 */
export function createClassName(name: string, file: string): string {
  const base = path.basename(file).replace('.module.css', '')
  const suffix = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return name === 'root' ? base : `${base}-${suffix}`
}
