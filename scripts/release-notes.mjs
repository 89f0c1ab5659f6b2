// `node scripts/release-notes.mjs v0.2.0`: prints what CHANGELOG.md says of a version. Called by the release workflow.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..')

/**
 * Returns the section of a version without its heading, or undefined if no heading has the version and a date, such as
 * `## 0.2.0 - 2026-11-22`.
 * @param {string} changelog
 * @param {string} version
 */
export function sectionOf(changelog, version) {
  for (const section of changelog.split(/^## /m).slice(1)) {
    const [heading = '', ...lines] = section.split('\n')
    const [name, date = ''] = heading.trim().split(' - ')
    if (name === version && /^\d{4}-\d\d-\d\d$/.test(date)) return lines.join('\n').trim()
  }
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const version = (process.argv[2] ?? '').replace(/^v/, '')
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
  if (version !== manifest.version) fail(`The tag is not v${manifest.version}, the version in package.json.`)
  const section = sectionOf(fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'), version)
  if (!section) fail(`CHANGELOG.md has no dated section for ${version}.`)
  process.stdout.write(`${section}\n`)
}
