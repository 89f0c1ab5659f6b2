import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = path.join(import.meta.dirname, '..', '..', '..')

/** A program that prints `index.html` as Vite serves it and as Vite builds it. */
const program = `
import { build, createServer } from 'vite'
const server = await createServer({ appType: 'custom', logLevel: 'silent', server: { middlewareMode: true } })
const served = await server.transformIndexHtml('/', '<!doctype html><head><title>A shop</title></head>')
await server.close()
const { output } = await build({ logLevel: 'silent', build: { write: false } })
const built = String(output.find(({ fileName }) => fileName === 'index.html').source)
console.log(JSON.stringify({ served, built }))
`

test("the guide's Vite configuration adds the script only while serving", {
  tags: 'thorough',
}, () => {
  const guide = fs.readFileSync(path.join(root, 'docs', 'elements.md'), 'utf8')
  const [, config = ''] = /```js\n(\/\/ vite\.config\.js\n[\s\S]*?)```/.exec(guide) ?? []
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-vite-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction')
  const files = {
    'package.json': '{ "type": "module" }',
    'vite.config.js': config,
    'index.html': '<!doctype html><html lang="en"><head><title>A shop</title></head><body></body></html>',
    // In the form that `coffer env` writes.
    '.env': 'COFFER_ELEMENTS=http://127.0.0.1:5858/elements.js\n',
  }
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: '' },
  })
  const { served, built } = JSON.parse(printed.trim().split('\n').at(-1) ?? '') as Record<string, string>
  expect(served).toContain('<script src="http://127.0.0.1:5858/elements.js"></script>')
  expect(built).toContain('<title>A shop</title>')
  expect(built).not.toContain('elements.js')
})
