import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { root } from './start-up.ts'

/**
 * Creates the tree of another commit in a folder below `work`, with this one's packages. Builds both where necessary.
 * The worktree is removed when this process ends. Throws if git does not know the commit.
 */
export function createOtherTree(revision: string, work: string): string {
  const tree = path.join(work, 'tree')
  runGit('worktree', 'add', '--detach', '--quiet', tree, revision)
  process.on('exit', () => runGit('worktree', 'remove', '--force', tree))
  linkTree(path.join(root, 'node_modules'), path.join(tree, 'node_modules'))
  for (const each of [tree, root]) {
    execFileSync(
      process.execPath,
      [getVitePath(each), 'build', '--logLevel', 'error', '--config', configFile],
      {
        cwd: each,
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
  }
  return tree
}

const configFile = path.join('electron', 'cli', 'vite.config.ts')
const getVitePath = (tree: string) => path.join(tree, 'node_modules', 'vite', 'bin', 'vite.js')

function runGit(...args: string[]): void {
  execFileSync('git', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Links every file of a folder into a new one: a copy that takes no space and does not share the folder itself. */
function linkTree(from: string, to: string): void {
  fs.mkdirSync(to, { recursive: true })
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (entry.isDirectory()) linkTree(source, target)
    else if (entry.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(source), target)
    else linkOrCopy(source, target)
  }
}

/** The temporary folder may be on another disk. */
function linkOrCopy(source: string, target: string): void {
  try {
    fs.linkSync(source, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    fs.copyFileSync(source, target)
  }
}
