import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { buildProgram } from '../electron/cli/program.ts'
import { sections } from '../renderer/screens/settings/sections.ts'
import { getPermissionWarning, permissionNames } from '../shared/permissions.ts'
import { readFile, root } from './repository.ts'

const pages = fs.globSync(['*.md', 'docs/**/*.md'], { cwd: root }).sort()

/** Returns the anchor of a heading. */
const toAnchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- ]/gu, '')
    .trim()
    .replaceAll(' ', '-')
const listAnchors = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => toAnchor(heading))

test.each(pages)('%s has no broken links', (page) => {
  const text = readFile(page)
  const links = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)].map(
    ([, a, b]) => a ?? b ?? '',
  )
  for (const link of links.filter((each) => !/^(https?|mailto):/.test(each))) {
    // On GitHub, these are relative to the repository of the page.
    const workflow = /^\.\.\/\.\.\/actions\/workflows\/([\w.-]+)(?:\/badge\.svg)?$/.exec(link)?.[1]
    if (workflow !== undefined) {
      expect([link, fs.existsSync(path.join(root, '.github', 'workflows', workflow))]).toEqual([link, true])
      continue
    }
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? page : path.join(path.dirname(page), file)
    expect([link, fs.existsSync(path.join(root, target))]).toEqual([link, true])
    if (anchor) expect([link, listAnchors(readFile(target)).includes(anchor)]).toEqual([link, true])
  }
})

test.each(pages)('%s names only files and folders that exist', (page) => {
  const inSource = /^(?:electron|renderer|shared|tests|scripts|resources|docs|examples)\/[\w./-]+$/
  for (const [, text = ''] of readFile(page).matchAll(/`([^`\n]+)`/g)) {
    if (inSource.test(text))
      expect([page, text, fs.existsSync(path.join(root, text))]).toEqual([page, text, true])
  }
})

test.each(pages)('%s names only scripts, commands and options that exist', (page) => {
  const { scripts } = JSON.parse(readFile('package.json')) as { scripts: Record<string, string> }
  const known = ['ci', 'install', 'pack', 'test', 'start', 'run', 'uninstall', 'version']
  const program = buildProgram('0')
  const code = [...readFile(page).matchAll(/```\w*\n([\s\S]*?)```|`([^`\n]+)`/g)].map(
    ([, a, b]) => a ?? b ?? '',
  )
  // The service in compose.yaml has the same name as its command.
  const inContainer = /\bdocker compose (?:exec|run --rm --entrypoint coffer) coffer /g
  for (const text of code.map((each) => each.replaceAll('\\\n', ' ').replaceAll(inContainer, ''))) {
    for (const [, script = ''] of text.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)) {
      expect([page, script, Object.hasOwn(scripts, script)]).toEqual([page, script, true])
    }
    for (const [, command = ''] of text.matchAll(/\bnpm (?!run\b)([a-z]+)/g)) expect(known).toContain(command)
    for (const [, , line = ''] of text.matchAll(/(^|[ \t;|&(])coffer ((?:[a-z][\w-]*)[^\n|;&#]*)/gm)) {
      const [name = '', ...rest] = line.replace(/^-- /, '').trim().split(/\s+/)
      let command = program.commands.find((each) => each.name() === name)
      expect([page, line, command !== undefined]).toEqual([page, line, true])
      const inner = command?.commands.find((each) => each.name() === rest[0])
      command = inner ?? command
      const options = rest.flatMap((word) => /^(--[\w-]+)/.exec(word)?.[1] ?? [])
      const hasOption = (option: string) =>
        option === '--help' ||
        command?.options.some((each) => each.long === option || `--no-${option.slice(2)}` === each.long)
      for (const option of options)
        expect([page, line, option, hasOption(option)]).toEqual([page, line, option, true])
    }
  }
})

test('the README has a row for every command', () => {
  const rows = [...readFile('README.md').matchAll(/^\| (`coffer .*?) \|/gm)].map(
    ([, commands = '']) => commands,
  )
  for (const command of buildProgram('0').commands.map((each) => each.name())) {
    const isListed = rows.some((row) => new RegExp(`\`coffer ${command}[ \`]`).test(row))
    expect(isListed, `Add \`coffer ${command}\` to the list of commands in README.md.`).toBe(true)
  }
})

/**
 * Matches commands that, where Coffer is not installed, run another package named coffer from the registry, with the
 * secrets of the job.
 */
const fetching = /\b(?:npx|npm (?:exec|x)|bunx|(?:pnpm|yarn) dlx)(?: --yes| -y| --package=\S+| --)* coffer\b/

test('no command runs a foreign package named coffer from the registry', () => {
  for (const line of ['npx coffer run', 'npx --yes coffer', 'npm exec -- coffer status', 'bunx coffer'])
    expect([line, fetching.test(line)]).toEqual([line, true])
  for (const line of ['npx --no-install coffer run', 'npx ./coffer-0.3.0.tgz serve', 'pnpm exec coffer'])
    expect([line, fetching.test(line)]).toEqual([line, false])
  const files = fs
    .globSync(
      ['*.{md,yml,json,yaml}', '{docs,examples,electron,renderer,shared,resources,scripts,.github,.ci}/**'],
      {
        cwd: root,
        exclude: (name) => /node_modules/.test(name),
      },
    )
    .filter((file) => fs.statSync(path.join(root, file)).isFile())
  expect(files.length).toBeGreaterThan(500)
  expect(files.filter((file) => fetching.test(readFile(file)))).toEqual([])
})

test.each(pages)('%s names only existing sections of Settings', (page) => {
  const names: string[] = Object.values(sections)
  for (const [text, rest = ''] of readFile(page).matchAll(/Settings → (.{0,30})/g)) {
    expect([page, text, names.some((each) => rest.startsWith(each))]).toEqual([page, text, true])
  }
})

test('X-51 the guide to access rules quotes every permission warning', () => {
  const rows = [
    ...readFile('docs/masks-and-access-rules.md').matchAll(/^\| `([\w:-]+:[\w-]+)` \| (.+) \|$/gm),
  ]
  const warned = permissionNames.filter((each) => getPermissionWarning(each) !== undefined)
  expect(rows.map(([, permission, text]) => [permission, text])).toEqual(
    warned.map((each) => [each, getPermissionWarning(each)]),
  )
})
