import { expect, onTestFinished, test, vi } from 'vitest'
import { SecretClipboard } from '../../electron/main/secret-clipboard.ts'

function createSecretClipboard() {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const system = {
    text: '',
    readText: async () => system.text,
    async writeText(text: string) {
      system.text = text
    },
    clear() {
      system.text = ''
    },
  }
  return { system, secrets: new SecretClipboard(system) }
}

test('X-40 a copied secret is cleared from the clipboard after 30 seconds', async () => {
  const { system, secrets } = createSecretClipboard()
  expect(await secrets.copySecret('secret')).toBe(30)
  await vi.advanceTimersByTimeAsync(29_999)
  expect(system.text).toBe('secret')
  await vi.advanceTimersByTimeAsync(1)
  expect(system.text).toBe('')
})

test('X-40 copying a second secret restarts the 30 seconds', async () => {
  const { system, secrets } = createSecretClipboard()
  await secrets.copySecret('first')
  await vi.advanceTimersByTimeAsync(20_000)
  await secrets.copySecret('second')
  await vi.advanceTimersByTimeAsync(29_000)
  expect(system.text).toBe('second')
  await vi.advanceTimersByTimeAsync(1000)
  expect(system.text).toBe('')
})

test('X-40 text copied later is never cleared', async () => {
  const { system, secrets } = createSecretClipboard()
  await secrets.copySecret('secret')
  system.text = 'shopping list'
  await secrets.clearSecret()
  expect(system.text).toBe('shopping list')
  // Once a secret was cleared, the same text copied by another program is not cleared.
  system.text = 'secret'
  await vi.advanceTimersByTimeAsync(60_000)
  expect(system.text).toBe('secret')
})

test('X-40 nothing is cleared if no secret was copied', async () => {
  const { system, secrets } = createSecretClipboard()
  system.text = 'shopping list'
  await secrets.clearSecret()
  expect(system.text).toBe('shopping list')
})

test('X-40 locking while a secret is being copied clears it', async () => {
  const { system, secrets } = createSecretClipboard()
  const copying = secrets.copySecret('secret')
  await Promise.all([secrets.clearSecret(), copying])
  expect(system.text).toBe('')
})
