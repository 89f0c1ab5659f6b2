import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readInTime, readWholeResponse } from '../../electron/host/proxies/bodies.ts'

async function* byteByByte() {
  for (;;) {
    await delay(1)
    yield Buffer.from('x')
  }
}

test('G-04 X-52 a response sent endlessly in small pieces times out', async () => {
  const body = Readable.from(byteByByte(), { objectMode: false })
  await expect(readInTime(body, 'slow.test', readWholeResponse, 50)).rejects.toMatchObject({
    code: 'timeout',
  })
  expect(body.destroyed).toBe(true)
})
