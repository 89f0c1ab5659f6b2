// Loaded first into test processes and their children, by NODE_OPTIONS in vitest.config.ts. SECURITY: the cost of
// Argon2id is lowered here, so that the program itself has no option that could weaken a real vault.
const fs = require('node:fs')
const Module = require('node:module')

const quick = { memoryCost: 64, timeCost: 1, parallelism: 1 }
const library = /(^|[\\/])@node-rs[\\/]argon2([\\/]index\.js)?$/
const load = Module._load

/**
 * Changes the library only when a program loads it. Most programs never do, and loading it takes as long as running a
 * small one.
 */
Module._load = function (request, ...more) {
  const loaded = load.call(this, request, ...more)
  if (library.test(request)) quicken(loaded)
  return loaded
}

/**
 * Replaces the library's function with a faster one that still derives another key for another cost. The replacement
 * waits while the file named by PASSPHRASES_WAIT_FOR exists (tests/host/passphrase-gate.ts).
 */
function quicken(argon2) {
  Module._load = load
  const { createHash } = require('node:crypto')
  const { hashRaw } = argon2
  argon2.hashRaw = async (password, options) => {
    const gate = process.env.PASSPHRASES_WAIT_FOR
    while (gate && fs.existsSync(gate)) await new Promise((resolve) => setTimeout(resolve, 5))
    const { memoryCost, timeCost, parallelism, salt } = options
    if (process.env.ARGON2ID_AT_FULL_COST || memoryCost <= quick.memoryCost) return hashRaw(password, options)
    const mixed = createHash('sha256')
      .update(`${memoryCost} ${timeCost} ${parallelism} `)
      .update(salt)
      .digest()
    return hashRaw(password, { ...options, ...quick, salt: mixed })
  }
}
