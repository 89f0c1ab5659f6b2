import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import { findNearestName } from '../../../shared/nearest-name.ts'
import { formatCommand, getGuidePath } from '../hint.ts'
import { createTable } from '../terminal/table.ts'
import { printHint, printLine } from '../terminal/vault-options.ts'

/** Lists the names of the guides. */
export function listGuides(): string[] {
  return fs
    .readdirSync(getGuidePath(''))
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => path.basename(file, '.md'))
    .toSorted()
}

/** Prints a guide, or the list of guides. Throws `not_found` with the nearest name. */
export async function printGuide(named: string | undefined, { json }: { json?: true }): Promise<void> {
  const guides = listGuides()
  if (named === undefined) return printList(guides, json)
  const name = named.replace(/\.md$/, '').toLowerCase()
  if (!guides.includes(name)) {
    const near = findNearestName(name, guides) ?? guides.find((each) => each.startsWith(name))
    const hint = near ? `Did you mean ${near}?` : `List them with: ${formatCommand('docs')}`
    throw new CofferError('not_found', `There is no such guide. ${hint}`)
  }
  const file = getGuidePath(`${name}.md`)
  const text = fs.readFileSync(file, 'utf8')
  printLine(json ? JSON.stringify({ name, file: path.resolve(file), text }) : text.trimEnd())
}

function printList(guides: readonly string[], json: true | undefined): void {
  const described = guides.map((name) => ({ name, title: readTitle(name), file: getGuidePath(`${name}.md`) }))
  if (json) {
    printLine(JSON.stringify(described))
    return
  }
  createTable([{ head: 'GUIDE' }, { head: 'TITLE' }])(described.map(({ name, title }) => [name, title]))
  printHint(`Print one with: ${formatCommand('docs', '<guide>')}`)
}

function readTitle(name: string): string {
  return /^# (.*)$/m.exec(fs.readFileSync(getGuidePath(`${name}.md`), 'utf8'))?.[1] ?? name
}
