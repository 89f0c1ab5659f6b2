import buffer from 'node:buffer'
import crypto from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { createRequire } from 'node:module'
import path from 'node:path'
import querystring from 'node:querystring'
import stream from 'node:stream'
import url from 'node:url'
import util from 'node:util'
import zlib from 'node:zlib'
import { findClientFile } from './clients.ts'

/** The modules of Node that code may require (rule F-03). */
const builtins = { buffer, crypto, http, https, querystring, stream, url, util, zlib }

const NAME = /^(@[\w.~-]+\/)?[\w~-][\w.~-]*(\/[\w./~-]+)?$/

/** `require` as code has it: modules of Node, packages of the owner's folder, and the clients that Coffer brings. */
export function createCodeRequire(packagesDir: string | null): (name: unknown) => unknown {
  const ownRequire = createRequire(import.meta.url)
  const packages = packagesDir === null ? null : createRequire(path.join(packagesDir, 'package.json'))
  return function require(name) {
    if (typeof name !== 'string') throw new TypeError('require takes the name of a module.')
    const plain = name.replace(/^node:/, '')
    if (Object.hasOwn(builtins, plain)) return builtins[plain as keyof typeof builtins]
    // SECURITY: a path would name any file that this process may read.
    if (!NAME.test(name) || name.includes('..')) {
      throw createMissingError(
        `Cannot find module '${name}'. Reactors require packages and modules of Node by name.`,
      )
    }
    if (isBuiltin(ownRequire, name)) {
      throw createMissingError(
        `Cannot find module '${name}'. Of Node's modules, reactors have ${Object.keys(builtins).join(', ')}.`,
      )
    }
    if (packages) {
      try {
        return packages(name)
      } catch (error) {
        if (!isMissing(error, name)) throw error
      }
    }
    const client = findClientFile(name)
    if (client !== null) return ownRequire(client)
    throw createMissingError(
      `Cannot find module '${name}'. Add it with: coffer reactor add-package ${getPackageName(name)}`,
    )
  }
}

function isBuiltin(ownRequire: NodeJS.Require, name: string): boolean {
  // Of a name that is no package, Node finds its own module, which has no paths.
  return ownRequire.resolve.paths(name) === null
}

/** Whether the package itself is missing, and not a module that it requires. */
function isMissing(error: unknown, name: string): boolean {
  const { code, message, requireStack } = (error ?? {}) as NodeJS.ErrnoException & { requireStack?: string[] }
  if (code === 'ERR_ACCESS_DENIED') return true
  return (
    code === 'MODULE_NOT_FOUND' &&
    (message?.includes(`'${name}'`) ?? false) &&
    (requireStack?.length ?? 0) <= 1
  )
}

function getPackageName(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
}

function createMissingError(message: string): Error {
  return Object.assign(new Error(message), { code: 'MODULE_NOT_FOUND' })
}
