import { expect, test } from 'vitest'
import { eligibleCard } from '../network-tokens.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

test('Z-03 the panel of a card creates, suspends and resumes its network token, and shows why it gets none', async () => {
  const prepareVault = ({ owner }: StartedWindow) =>
    owner.host.createVault({ name: 'demo', protection: { memory: true } })
  const { vault, page } = await openWindow({ prepareVault })
  const { owner } = vault
  const declined = { ...eligibleCard, number: '4929544240318920' }
  await owner.tokens.create({ id: 'declined', type: 'card', data: declined })
  await owner.tokens.create({ id: 'card-1', type: 'card', data: eligibleCard })
  await owner.tokens.create({ id: 'card-2', type: 'card', data: eligibleCard })

  await goTo(page, '#/tokens/declined')
  const panel = page.getByRole('complementary', { name: 'Token' })
  await panel.getByText('This card has no network token.').waitFor()
  await panel.getByRole('button', { name: 'New network token' }).click()
  await panel.getByText('The issuer declined to create a network token for this card.').waitFor()

  await goTo(page, '#/tokens/card-1')
  await panel.getByText('The issuer declined').waitFor({ state: 'detached' })
  await panel.getByRole('button', { name: 'New network token' }).click()
  await panel.getByText('active', { exact: true }).waitFor()
  const { _extras } = await owner.tokens.get({ id: 'card-1' })
  const [id = ''] = _extras?.network_token_ids ?? []
  await panel.getByText(id, { exact: true }).first().waitFor()
  await panel.getByText('12/2039').waitFor()
  await panel.getByRole('button', { name: 'Create cryptogram' }).click()
  await panel.getByText('ECI 07').waitFor()
  await panel.getByText(/^[\w+/]{22}==$/).waitFor()
  await panel.getByRole('button', { name: 'Suspend' }).click()
  await panel.getByText('suspended', { exact: true }).waitFor()
  expect(await panel.getByRole('button', { name: 'Create cryptogram' }).count()).toBe(0)
  expect((await owner.networkTokens.get({ id })).status).toBe('suspended')
  // With another number, the token has another network token.
  await owner.tokens.update({ id: 'card-1', data: { number: '4000000000000085' } })
  await panel.getByText('This card has no network token.').waitFor()
  await owner.tokens.update({ id: 'card-1', data: { number: eligibleCard.number } })
  await panel.getByText('suspended', { exact: true }).waitFor()
  // A program resumes it, and another token of the same card gets it.
  await owner.networkTokens.resume({ id })
  await panel.getByText('active', { exact: true }).waitFor()
  await goTo(page, '#/tokens/card-2')
  await panel.getByRole('button', { name: 'New network token' }).click()
  await panel.getByText(id, { exact: true }).first().waitFor()
  await owner.networkTokens.remove({ id })
  await panel.getByText('This card has no network token.').waitFor()
})
