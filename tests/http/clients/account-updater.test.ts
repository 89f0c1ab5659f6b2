import { BasisTheory, BasisTheoryClient } from '@basis-theory/node-sdk'
import { expect, test } from 'vitest'
import { awaitRejection, startClientServer } from './start.ts'

async function startUpdater() {
  const { vault, url } = await startClientServer()
  const permissions = ['token:create', 'token:read', 'account-updater:real-time:invoke'] as const
  const { key } = await vault.application({ permissions: [...permissions] })
  const client = new BasisTheoryClient({ apiKey: key, environment: url, maxRetries: 0 })
  const data = { number: '4111111111111111', expiration_month: 12, expiration_year: 2023 }
  const { id = '' } = await client.tokens.create({ type: 'card', data })
  return { client, vault, id }
}

test('Z-03 node-sdk 5: a card is updated in real time', async () => {
  const { client, id } = await startUpdater()
  const { realTime } = client.accountUpdater
  const answer = await realTime.invoke({ tokenId: id, expirationYear: 2030, deduplicateToken: false })
  expect(answer).toMatchObject({
    resultCode: 'UPD_PAN',
    newToken: { type: 'card', data: { number: 'XXXXXXXXXXXX6746', expiration_year: 2030 } },
  })
  const missing = await awaitRejection(realTime.invoke({ tokenId: 'nothing' }))
  expect(missing).toBeInstanceOf(BasisTheory.BadRequestError)
})
