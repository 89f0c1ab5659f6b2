import { expect, test } from 'vitest'
import { startCoffer } from '../cli/run-coffer.ts'
import { reservePort } from '../ports.ts'
import { pickSome } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { goTo, openPageIn } from './window-fixture.ts'

/** The console messages of Chromium when a server is unreachable. */
const expected = /net::ERR_|status of 401|Unable to preload CSS|Failed to fetch dynamically/

test('a page says what to do after Coffer was killed, stopped or restarted', async () => {
  // The window is served on the port after the listener's.
  const port = String(await reservePort())
  const startServe = async () => {
    const dir = createTempFolder()
    const args = ['serve', '--ephemeral', '--console', '--json', '--port', port, '--data-dir', dir]
    const program = startCoffer(args)
    return { ...program, link: (await program.json()).console as string }
  }
  let coffer = await startServe()
  const page = await openPageIn({ launchLink: () => coffer.link }, {}, expected)
  for (const signal of pickSome(['SIGKILL', 'SIGTERM'] as const, 1)) {
    await page.getByRole('navigation', { name: 'Screens' }).waitFor()
    coffer.signal(signal)
    await coffer.ended
    await page.getByText('If it was stopped, start it again and open the new link it prints.').waitFor()
    // Open a screen whose code has not been loaded yet.
    await goTo(page, signal === 'SIGKILL' ? '#/tokens' : '#/webhooks')
    await page.getByText('Coffer did not respond').first().waitFor()

    coffer = await startServe()
    await page.getByRole('heading', { name: 'Coffer was restarted' }).waitFor()
    await page.getByText('Open the new link it printed').waitFor()
    expect(await page.locator('#root').textContent()).not.toMatch(
      /respond|reachable|out of date|reconnect|Restart it/,
    )
    // A page that is loaded only now says the same.
    await page.reload()
    await page.getByRole('heading', { name: 'Coffer was restarted' }).waitFor()
    await page.evaluate((link) => {
      location.href = link
    }, coffer.link)
  }
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
})
