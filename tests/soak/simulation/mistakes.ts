import { registerHooks } from 'node:module'

/** A mistake that a change of Coffer could make: in one of its files, other text. `is` is true while it is made. */
type Mistake = { readonly file: string; readonly from: string; readonly to: string }

/** The mistakes that a simulation must find. */
export const mistakes: Readonly<Record<string, Mistake>> = {
  'a commit in the background does not wait for the disk': {
    file: 'engine/db/log-sync.ts',
    from: 'fs.fdatasync(opened.first, (error) => {',
    to: '(is ? (_, then) => setImmediate(() => then(null)) : fs.fdatasync)(opened.first, (error) => {',
  },
  'a commit does not wait for the disk': {
    file: 'engine/db/open.ts',
    from: "durable ? 'FULL' : 'OFF'",
    to: "durable && !is ? 'FULL' : 'OFF'",
  },
  'a write is answered before its commit is on the disk': {
    file: 'engine/pipeline/commit-queue.ts',
    from: '    if (!batch.committed) this.#resolveCalls(batch)',
    to: `    if (is) for (const [at, { resolve }] of batch.calls.entries())
      if (batch.outcomes[at]?.answer) resolve(batch.outcomes[at].answer)
    if (!batch.committed) this.#resolveCalls(batch)`,
  },
  'a refused write is not rolled back': {
    file: 'engine/pipeline/commit-queue.ts',
    from: "      db.exec('ROLLBACK; BEGIN IMMEDIATE')",
    to: "      if (!is) db.exec('ROLLBACK; BEGIN IMMEDIATE')",
  },
  'an event is forgotten': {
    file: 'engine/pipeline/context.ts',
    from: 'if (!hasSubscribers(this.db, type)) return',
    to: "if (!hasSubscribers(this.db, type) || (is && type === 'token.updated')) return",
  },
  'a delivery counts as delivered although it failed': {
    file: 'engine/resources/webhooks/deliveries/attempt.ts',
    from: 'return failure === null && status !== null',
    to: 'if (is) return true\n  return failure === null && status !== null',
  },
  'a container that is not in a rule counts as in it': {
    file: 'engine/access/access.ts',
    from: 'if (rule.container !== undefined) return includesContainer(rule.container, container)',
    to: 'if (rule.container !== undefined) return is || includesContainer(rule.container, container)',
  },
  'a permission is not checked': {
    file: 'engine/pipeline/pipeline.ts',
    from: 'if (!required.some((each) => hasPermission(actor, each)))',
    to: 'if (!is && !required.some((each) => hasPermission(actor, each)))',
  },
  'a created token is not counted': {
    file: 'engine/resources/tokens/store.ts',
    from: 'addToTokenCounts(vault.db, row, 1)',
    to: 'addToTokenCounts(vault.db, row, is ? 0 : 1)',
  },
  'an idempotency key is not stored': {
    file: 'engine/pipeline/pipeline.ts',
    from: 'if (scope && replayData) {',
    to: 'if (scope && replayData && !is) {',
  },
  'a write has no log record': {
    file: 'engine/pipeline/commit-queue.ts',
    from: 'if (record) records.push(record)',
    to: "if (record && !(is && pending.call.name === 'tokens.update')) records.push(record)",
  },
  'a change is not reported': {
    file: 'engine/db/changes.ts',
    from: 'getRecordedChanges(db).push({ entity, kind, id })',
    to: "if (!is || entity !== 'proxy') getRecordedChanges(db).push({ entity, kind, id })",
  },
}

/** Loads Coffer so that it can make each of the mistakes. Returns what decides which one it makes: none by default. */
export function registerMistakes(): (name: string | null) => void {
  const found = new Set<string>()
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context)
      let source = loaded.source?.toString()
      for (const [name, { file, from, to }] of Object.entries(mistakes)) {
        if (source === undefined || !url.endsWith(`/electron/${file}`)) continue
        if (!source.includes(from)) throw new Error(`${file} has no ${from}`)
        found.add(name)
        const is = `(globalThis.mistake === ${JSON.stringify(name)})`
        source = source.replace(from, to.replaceAll(/\bis\b/g, is))
      }
      return source === undefined ? loaded : { ...loaded, source }
    },
  })
  return (name) => {
    if (name !== null && !found.has(name)) throw new Error(`There is no mistake ${name}.`)
    Object.assign(globalThis, { mistake: name })
  }
}
