import { expect, onTestFinished, test } from 'vitest'
import { startCoffer } from '../cli/run-coffer.ts'
import { reservePort } from '../ports.ts'
import { createTempFolder } from '../vault.ts'
import { startWindow } from './start-window.ts'
import { goTo, openPageIn } from './window-fixture.ts'

/** The console messages of Chromium when a server is unreachable. */
const expected = /net::ERR_|status of 401/
const passphrase = 'correct horse battery'

test('unsaved input outlives a killed Coffer, also if the vault is locked afterwards', async () => {
  const port = String(await reservePort())
  const dir = createTempFolder()
  const startServe = async () => {
    const args = ['serve', '--console', '--json', '--port', port, '--data-dir', dir]
    const program = startCoffer(args, { COFFER_PASSPHRASE: passphrase })
    return { ...program, link: (await program.json()).console as string }
  }
  let coffer = await startServe()
  const page = await openPageIn({ launchLink: () => coffer.link }, {}, expected)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await goTo(page, '#/tokens?new=1')
  const number = page.getByRole('complementary', { name: 'New token' }).getByLabel('Number')
  await number.fill('42')
  const banner = page.getByRole('alert').filter({ has: page.getByRole('button') })
  const killCoffer = async () => {
    coffer.signal('SIGKILL')
    await coffer.ended
    await banner.getByText('Coffer is not responding').waitFor()
  }
  /** Opens the new link in another tab, which signs in the whole browser. */
  const openLink = async (link: string) => {
    await banner.getByText('Coffer was restarted').waitFor()
    const other = await page.context().newPage()
    await other.goto(link)
    return other
  }
  await killCoffer()
  coffer = await startServe()
  const other = await openLink(coffer.link)
  await banner.waitFor({ state: 'detached' })
  expect(await number.inputValue()).toBe('42')
  await other.close()

  // The vault is locked after the next restart.
  await killCoffer()
  const locked = await startWindow(dir, Number(new URL(coffer.link).port))
  const unlocking = await openLink(locked.launchLink())
  await banner.getByText('The vault of this page is no longer open').waitFor()
  expect(await number.inputValue()).toBe('42')
  await banner.getByRole('button', { name: 'Unlock' }).click()
  await page.getByRole('dialog').getByLabel('Passphrase').fill(passphrase)
  await page.keyboard.press('Enter')
  await banner.waitFor({ state: 'detached' })
  expect(await number.inputValue()).toBe('42')
  await unlocking.getByRole('navigation', { name: 'Screens' }).waitFor()

  // Once the input is discarded, the page shows that the vault is locked.
  await locked.close()
  const again = await startWindow(dir, locked.port)
  onTestFinished(() => again.close())
  await openLink(again.launchLink())
  await banner.getByText('The vault of this page is no longer open').waitFor()
  await number.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('heading', { name: /^Unlock/ }).waitFor()
})
