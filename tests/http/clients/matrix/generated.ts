import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect } from 'vitest'
import { createTempFolder } from '../../../vault.ts'
import { describeMissingPythonWith, findPythonWith } from '../python.ts'
import type { Outcomes } from './areas.ts'
import { hasSucceeded, runCommand } from './command.ts'
import type { MatrixServer } from './matrix-server.ts'

const programs = path.join(import.meta.dirname, 'programs')

export const pythonGenerator = 'openapi-python-client==0.29.1'
const pythonPackages = [pythonGenerator, 'openapi-spec-validator==0.9.0']
export const goGenerator = 'v2.8.2'
const goRuntime = 'v1.8.0'

export function describeMissingPythonGenerator(): string | null {
  return describeMissingPythonWith(pythonPackages)
}

/** Saves the OpenAPI document that Coffer serves. Returns the path of the file. */
async function saveDocument({ URL }: MatrixServer, folder: string): Promise<string> {
  const file = path.join(folder, 'openapi.json')
  fs.writeFileSync(file, await (await fetch(`${URL}/openapi.json`)).text())
  return file
}

/** Rejects if the validator finds an error in the OpenAPI document. */
export async function validateDocument(world: MatrixServer): Promise<void> {
  const file = await saveDocument(world, createTempFolder())
  await runCommand(findPythonWith(pythonPackages), ['-m', 'openapi_spec_validator', file])
}

/** Generates a Python client from the OpenAPI document, and tries it. */
export async function runGeneratedPython(world: MatrixServer): Promise<Outcomes> {
  const folder = createTempFolder()
  const python = findPythonWith(pythonPackages)
  const generate = ['-m', 'openapi_python_client', 'generate', '--meta', 'none']
  const file = await saveDocument(world, folder)
  const output = await runCommand(python, [
    ...generate,
    ...['--path', file, '--output-path', path.join(folder, 'coffer_client')],
  ])
  // The generator does not know the content types of proxied bodies and webhook keys.
  expect(output.match(/(?<=WARNING parsing )\w+ \S+/g)).toEqual([
    ...['PUT /proxy', 'POST /proxy', 'PATCH /proxy'],
    'GET /.well-known/webhooks.v1.key',
  ])
  const program = path.join(programs, 'generated.py')
  return JSON.parse(await runCommand(python, ['-B', program], { env: { ...world, PYTHONPATH: folder } }))
}

const goFolder = path.join(os.tmpdir(), `coffer-go-oapi-codegen-${goGenerator}-${goRuntime}`)
const generator = path.join(goFolder, 'oapi-codegen')
/** The environment for Go: the installed version is used instead of downloading another one. */
const go = { ...process.env, GOBIN: goFolder, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod' }

/** The files of a module with the imports of generated clients, so that these are downloaded only once. */
const needed = {
  'go.mod': `module matrix\n\ngo 1.24\n\nrequire github.com/oapi-codegen/runtime ${goRuntime}\n`,
  'main.go': `package main

import (
\t_ "github.com/oapi-codegen/runtime"
\t_ "github.com/oapi-codegen/runtime/types"
)

func main() {}
`,
}

/** Returns why oapi-codegen cannot run on this machine, or null if it can. Builds it on the first run. */
export async function describeMissingGoGenerator(): Promise<string | null> {
  if (process.platform === 'win32') return 'these tests know no Go on Windows'
  if (!(await hasSucceeded('go', ['version']))) return 'there is no Go'
  if (fs.existsSync(path.join(goFolder, 'complete'))) return null
  fs.mkdirSync(goFolder, { recursive: true })
  for (const [name, text] of Object.entries(needed)) fs.writeFileSync(path.join(goFolder, name), text)
  const source = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${goGenerator}`
  const isReady =
    (await hasSucceeded('go', ['install', source], { env: go })) &&
    (await hasSucceeded('go', ['mod', 'tidy'], { cwd: goFolder, env: go }))
  if (!isReady) {
    return 'Go cannot build oapi-codegen: it is too old, or its module proxy cannot be reached, or answers slowly'
  }
  fs.writeFileSync(path.join(goFolder, 'complete'), '')
  return null
}

/** Generates a Go client from the OpenAPI document, and tries it. */
export async function runGeneratedGo(world: MatrixServer): Promise<Outcomes> {
  const folder = createTempFolder()
  const client = path.join(folder, 'coffer', 'coffer.go')
  fs.mkdirSync(path.dirname(client))
  const generate = ['-generate', 'types,client', '-package', 'coffer', '-o', client]
  expect(await runCommand(generator, [...generate, await saveDocument(world, folder)])).toBe('')
  fs.copyFileSync(path.join(programs, 'generated.go'), path.join(folder, 'main.go'))
  for (const name of ['go.mod', 'go.sum']) fs.copyFileSync(path.join(goFolder, name), path.join(folder, name))
  await runCommand('go', ['build', '-o', 'matrix', '.'], { cwd: folder, env: go })
  return JSON.parse(await runCommand(path.join(folder, 'matrix'), [], { env: world }))
}
