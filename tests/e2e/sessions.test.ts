import { expect, test } from 'vitest'
import { pressKeys, runFromPalette, waitForFoot } from './page-steps.ts'
import { createSessions } from './states.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

async function openWithSessions() {
  let made: Awaited<ReturnType<typeof createSessions>> | undefined
  const opened = await openWindow({
    async prepareVault(window: StartedWindow) {
      await window.owner.host.createVault({
        name: 'demo',
        protection: { passphrase: 'correct horse battery' },
      })
      made = await createSessions(window)
    },
  })
  return { ...opened, challenge: made?.challenge ?? '', intent: made?.intent ?? '' }
}

test('S-01 a challenge is decided by keyboard, and its messages say who did what', async () => {
  const { vault, page, challenge } = await openWithSessions()
  await runFromPalette(page, '3ds')
  await waitForFoot(page, '1 3D Secure session')
  const field = await page.locator('.filter-field').boundingBox()
  const saved = await page.getByRole('button', { name: 'Saved' }).boundingBox()
  expect((saved?.x ?? 0) - (field?.x ?? 0) - (field?.width ?? 0)).toBeLessThan(10)
  await page.getByRole('row', { name: /Visa •••• 0000/ }).click()
  const panel = page.getByRole('complementary', { name: '3D Secure session' })
  await panel.getByRole('button', { name: 'Authenticate' }).waitFor()
  await pressKeys(page, 's')
  await panel.getByText('Successful').first().waitFor()
  await panel.getByText('You → Bank').last().waitFor()
  await panel.getByText('Succeeded → Successful').waitFor()
  expect(await vault.owner.threeDs.describe({ id: challenge })).toMatchObject({ choice: 'pass' })
  expect(await panel.getByRole('button', { name: /Succeed/ }).count()).toBe(0)
  await page.getByLabel(/^Filter by state/).fill('state:Refused')
  await page.keyboard.press('Enter')
  await page.getByText('No 3D Secure session matches').waitFor()
})

test('O-03 O-04 a session is ended after a question, and an intent says which token it became', async () => {
  const { vault, page, intent } = await openWithSessions()
  await goTo(page, '#/sessions?view=sessions')
  await page.getByRole('row', { name: /Shop page/ }).click()
  await page.getByText('Shop server').last().waitFor()
  await page.getByRole('button', { name: 'End session' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
  await page.getByRole('heading', { name: 'No sessions' }).waitFor()
  expect((await vault.owner.sessions.list({})).total).toBe(0)

  await goTo(page, `#/sessions/${intent}?view=intents`)
  await page.getByRole('row', { name: /Visa •••• 4242/ }).waitFor()
  const { id } = await vault.owner.tokens.create({ token_intent_id: intent })
  await page.getByText('Turned into').waitFor()
  await page.getByRole('complementary').getByText(id).click()
  await page.waitForURL(new RegExp(`#/tokens/${id}`))
})
