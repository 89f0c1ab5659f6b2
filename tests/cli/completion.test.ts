import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { environment } from '../../electron/cli/commands/about.ts'
import { createCompletion } from '../../electron/cli/commands/completion.ts'
import { createManual } from '../../electron/cli/commands/man.ts'
import { buildProgram } from '../../electron/cli/program.ts'
import { flattenCommands, toCommandNode } from '../../electron/cli/terminal/command-tree.ts'
import { createTempFolder } from '../vault.ts'
import { waitFor } from '../wait-for.ts'

const program = toCommandNode(buildProgram('1.2.3'))

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ['--version'], { stdio: 'ignore' }).status === 0
}

/** Returns the words that bash offers to complete the last word of each line. One shell completes all lines. */
function listOffers(...lines: string[][]): string[][] {
  const script = `${createCompletion(program, 'bash')}
compopt() { options="$*"; }
offer() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); options=; _coffer; printf '%s\\n' "\${COMPREPLY[@]}" $options; echo --; }
words=()
for word in "$@"; do
  if [ "$word" = -- ]; then offer "\${words[@]}"; words=(); else words+=("$word"); fi
done`
  const words = lines.flatMap((line) => ['coffer', ...line, '--'])
  const output = execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
  return output
    .split(/^--\n/m)
    .slice(0, -1)
    .map((each) => each.trim().split('\n'))
}

test('bash completes commands, subcommands, options and choices', () => {
  const cases: [line: string[], offered: unknown][] = [
    [['se'], ['serve']],
    [['keys', ''], expect.arrayContaining(['create', 'list'])],
    [['keys', 'create', '--ty'], ['--type']],
    [['keys', 'create', '--type', 'm'], ['management']],
    [
      ['serve', '--data-dir', '/et'],
      ['/etc', '-o', 'filenames'],
    ],
    [['protect', 'k'], ['keychain']],
    [['export-openapi', '--format', 'p'], ['postman']],
    [
      ['export', '--format', ''],
      ['csv', 'ndjson'],
    ],
  ]
  expect(listOffers(...cases.map(([line]) => line))).toEqual(cases.map(([, words]) => words))
})

test('bash offers file names for readline to quote, and options after a dash', () => {
  const folder = createTempFolder()
  fs.mkdirSync(path.join(folder, 'a folder'))
  const before = [['import'], ['verify'], ['restore'], ['import', '--json'], ['export', '--out']]
  const lines = before.map((words) => [...words, `${folder}/`])
  expect(listOffers(...lines, ['import', '--dr'])).toEqual([
    ...lines.map(() => [`${folder}/a folder`, '-o', 'filenames']),
    ['--dry-run'],
  ])
})

test('bash completes vault names for --vault, and offers nothing for --port', () => {
  const folder = createTempFolder()
  for (const name of ['work', 'play']) {
    fs.mkdirSync(path.join(folder, name))
    fs.writeFileSync(path.join(folder, name, 'vault.json'), '')
  }
  fs.mkdirSync(path.join(folder, 'backups'))
  expect(listOffers(['serve', '--data-dir', folder, '--vault', ''])).toEqual([['play', 'work']])
  vi.stubEnv('COFFER_DATA_DIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(listOffers(['delete', '--vault', 'w'])).toEqual([['work']])
  vi.stubEnv('COFFER_DATA_DIR', path.join(folder, 'none'))
  expect(listOffers(['delete', '--vault', ''], ['serve', '--port', ''])).toEqual([[''], ['']])
})

/**
 * Starts a shell at a terminal. Returns a function that types a line with Tabs and returns the completed arguments, and
 * a function that exits the shell.
 */
async function startShell(shell: 'bash' | 'zsh', start: (script: string) => string) {
  const folder = createTempFolder()
  fs.mkdirSync(path.join(folder, 'a folder'))
  fs.writeFileSync(path.join(folder, 'file.csv'), '')
  fs.mkdirSync(path.join(folder, 'data', 'work'), { recursive: true })
  fs.writeFileSync(path.join(folder, 'data', 'work', 'vault.json'), '')
  const script = path.join(folder, '.zshrc')
  const reporter = `coffer() { printf 'typed '; printf '<%s>' "$@"; echo; }; PS1=; unset HISTFILE; echo started`
  fs.writeFileSync(script, `${start(createCompletion(program, shell))}\n${reporter}\n`)
  const line = { bash: `bash --noprofile --rcfile '${script}' -i`, zsh: 'zsh -d -i' }[shell]
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, HOME: folder, ZDOTDIR: folder, TERM: 'dumb' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  await waitFor(() => expect(output).toContain('started'))
  return {
    async typeLine(typing: string) {
      output = ''
      child.stdin.write(`${typing}\n`)
      return waitFor(() => {
        const [, words] = /typed (<.*?>)\r?$/m.exec(output) ?? []
        expect([typing, words, output]).toEqual([typing, expect.any(String), output])
        return words
      })
    },
    async exitShell() {
      child.stdin.end('exit\n')
      await once(child, 'close')
    },
  }
}

const completed: [typeLine: string, words: string][] = [
  ['coffer import a\t', '<import><a folder/>'],
  ['coffer import fi\t--json', '<import><file.csv><--json>'],
  ['coffer serve --data-dir data --vault w\t', '<serve><--data-dir><data><--vault><work>'],
  ['coffer serve --data-dir=data --vault=w\t', '<serve><--data-dir=data><--vault=work>'],
  ['coffer serve --config f\t--log pr\t', '<serve><--config><file.csv><--log><pretty>'],
  ['coffer reactor push a\t', '<reactor><push><a folder/>'],
  ['coffer serve --reactors a\t', '<serve><--reactors><a folder/>'],
  ['coffer run -- mkfif\tf\t', '<run><--><mkfifo><file.csv>'],
]

test.runIf(process.platform === 'linux')(
  'in a real bash, Tab completes paths, vaults and programs',
  async () => {
    const { typeLine, exitShell } = await startShell('bash', (script) => script)
    for (const [typing, words] of completed) expect(await typeLine(typing)).toBe(words)
    await exitShell()
  },
)

const zsh = isInstalled('zsh') ? '' : ' (skipped: there is no zsh here)'
test.skipIf(zsh !== '')(`zsh completes subcommands and option values${zsh}`, () => {
  const completeLine = (line: string) => {
    const words = line.split(' ')
    const script = `compdef() { :; }; compadd() { shift; offered=($@); }; _files() { offered=(files); }
${createCompletion(program, 'zsh')}
words=("$@"); CURRENT=$#words; _coffer; print -l -- $offered`
    return execFileSync('zsh', ['-f', '-c', script, 'zsh', ...words], { encoding: 'utf8' })
      .trim()
      .split('\n')
  }
  expect(completeLine('coffer keys ')).toEqual(['create', 'list', '--help'])
  expect(completeLine('coffer keys create --type ')).toEqual(['private', 'public', 'management'])
  expect(completeLine('coffer export-openapi --format ')).toEqual(['openapi', 'http', 'postman'])
})

test.skipIf(zsh !== '' || process.platform !== 'linux')(
  `in a real zsh, Tab completes paths, vaults and programs${zsh}`,
  async () => {
    const { typeLine, exitShell } = await startShell(
      'zsh',
      (script) => `autoload -Uz compinit; compinit -u -D; unsetopt autoremoveslash\n${script}`,
    )
    for (const [typing, words] of completed) expect(await typeLine(typing)).toBe(words)
    await exitShell()
  },
)

const fish = isInstalled('fish') ? '' : ' (skipped: there is no fish here)'
test.skipIf(fish !== '')(`fish completes commands, option values and files${fish}`, () => {
  const completeLine = (line: string) => {
    const script = `${createCompletion(program, 'fish')}\ncomplete -C '${line}'`
    const output = execFileSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' })
    return output
      .trim()
      .split('\n')
      .map((each) => each.split('\t')[0])
  }
  expect(completeLine('coffer se')).toEqual(['serve'])
  expect(completeLine('coffer keys ')).toEqual(expect.arrayContaining(['create', 'list']))
  expect(completeLine('coffer protect ')).toEqual(expect.arrayContaining(['keychain', 'passphrase']))
  const folder = createTempFolder()
  fs.mkdirSync(path.join(folder, 'data', 'work'), { recursive: true })
  fs.writeFileSync(path.join(folder, 'data', 'work', 'vault.json'), '')
  fs.writeFileSync(path.join(folder, 'file.csv'), '')
  expect(completeLine(`coffer import ${folder}/fi`)).toEqual([`${folder}/file.csv`])
  expect(completeLine(`coffer serve --data-dir ${folder}/data --vault w`)).toEqual(['work'])
  expect(completeLine(`coffer serve --data-dir=${folder}/data --vault=w`)).toEqual(['--vault=work'])
  expect(completeLine('coffer serve --log pr')).toEqual(['pretty'])
  expect(completeLine(`coffer reactor push ${folder}/da`)).toEqual([`${folder}/data/`])
  expect(completeLine('coffer run -- mkfif')).toEqual(['mkfifo'])
  expect(completeLine(`coffer run -- mkfifo ${folder}/fi`)).toEqual([`${folder}/file.csv`])
})

test('the fish script contains every command and long option, and zsh’s its header', () => {
  const fish = createCompletion(program, 'fish')
  for (const { path, options } of flattenCommands(program)) {
    const name = path.at(-1)
    if (name !== undefined) expect(fish).toContain(`-a ${name} -d `)
    for (const { long } of options) expect(fish).toContain(` -l ${long?.slice(2)}`)
  }
  expect(createCompletion(program, 'zsh')).toMatch(/^#compdef coffer\n/)
})

test('the manual names every command, its options and its examples', () => {
  const manual = createManual(program, '1.2.3')
  expect(manual).toMatch(/^\.TH COFFER 1 "" "coffer 1.2.3"/)
  for (const { path, options, children } of flattenCommands(program)) {
    if (path.length === 0 || children.length > 0) continue
    expect(manual).toContain(`.SS coffer ${path.join(' ').replaceAll('-', '\\-')}`)
    for (const { flags } of options) expect(manual).toContain(`\\fB${flags.replaceAll('-', '\\-')}\\fR`)
  }
  expect(manual).toContain('coffer serve \\-\\-ephemeral \\-\\-port 0')
  for (const section of ['EXIT STATUS', 'ENVIRONMENT', 'FILES', 'EXAMPLES']) {
    expect(manual.split('\n')).toContain(`.SH ${section}`)
  }
  expect(manual.slice(manual.indexOf('.SH EXAMPLES'))).not.toContain('Examples:')
  expect(manual).toMatch(/port to listen on.*Default: 4747\. Environment: COFFER_PORT/)
  expect(manual).toMatch(/One of: private, public, management/)
  expect(manual).not.toContain(os.homedir())
  const used = flattenCommands(program).flatMap(({ options }) =>
    options.flatMap(({ envVar }) => envVar ?? []),
  )
  expect(environment.map(([name]) => name)).toEqual(expect.arrayContaining(used))
  expect(manual.split('\n').filter((line) => /^[.'](?!TH|SH|SS|TP|PP|nf|fi|B|I)/.test(line))).toEqual([])
})

test('the help shows default values, except empty ones', () => {
  const commands = buildProgram('1.2.3').commands.flatMap((each) => [each, ...each.commands])
  const help = commands.map((each) => each.helpInformation().replace(/\s+/g, ' ')).join('\n')
  expect(help).toContain('repeatable')
  expect(help).toContain('(default: "default", env: COFFER_VAULT)')
  expect(help).toContain('(default: 4747')
  expect(help).not.toMatch(/default: (\[|\{|true|false)/)
})

test('a command has the same help whether built on its own or with all commands', () => {
  for (const { name, ...whole } of program.children.map((each) => ({ ...each, name: each.path[0] ?? '' }))) {
    const { children } = toCommandNode(buildProgram('1.2.3', name))
    if (name === 'completion' || name === 'man') expect(children).toHaveLength(program.children.length)
    else expect(children.map((each) => [each.path, each.help])).toEqual([[whole.path, whole.help]])
  }
  expect(toCommandNode(buildProgram('1.2.3', 'constructor')).children).toHaveLength(program.children.length)
})
