import fs from 'node:fs'
import path from 'node:path'

/** Returns the content of every file in a folder and below, by its path. */
export function readFiles(folder: string): Record<string, string> {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => fs.statSync(path.join(folder, name)).isFile())
  return Object.fromEntries(files.map((name) => [name, fs.readFileSync(path.join(folder, name), 'base64')]))
}
