import { MantineProvider } from '@mantine/core'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { UnlockForm } from '../../renderer/parts/vaults/unlock-form.tsx'

// Unlocking is sent by the connection to the vault, which needs a window.
vi.mock('../../renderer/parts/connection/vault.ts', () => ({ vault: {}, host: {} }))

const renderForm = (protection: 'keychain' | 'passphrase') =>
  renderToStaticMarkup(
    createElement(MantineProvider, null, createElement(UnlockForm, { vault: { name: 'shop', protection } })),
  )

test('unlocking focuses the passphrase, or the button of a vault in the keychain', () => {
  expect(renderForm('passphrase')).toMatch(/<input[^>]* autofocus=""/)
  expect(renderForm('keychain')).toMatch(/<button[^>]* autofocus=""/)
})
