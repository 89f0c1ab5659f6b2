import inspector from 'node:inspector'
import { workerData } from 'node:worker_threads'
import type { WatchdogData } from './watchdog.ts'

/** How many looks in a row find no beat when the main thread has been blocked for more than a second. */
const MISSED = 3

const { beats, beatMs, event }: WatchdogData = workerData
watchBeats()

/** Counts looks instead of reading the clock, because all threads stand still while the machine sleeps. */
function watchBeats(): void {
  let last = Atomics.load(beats, 0)
  let missed = 0
  setInterval(() => {
    const now = Atomics.load(beats, 0)
    missed = now === last ? missed + 1 : 0
    last = now
    if (missed === MISSED) interruptMainThread()
  }, beatMs)
}

/** Emits the event in the main thread between two steps of the JavaScript that it runs. */
function interruptMainThread(): void {
  const session = new inspector.Session()
  session.connectToMainThread()
  const expression = `process.emit(${JSON.stringify(event)})`
  session.post('Runtime.evaluate', { expression }, () => session.disconnect())
}
