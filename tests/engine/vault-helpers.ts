import { expect } from 'vitest'
import type { CallInfo } from '../../electron/engine/pipeline/call.ts'
import type { SettingsPatch } from '../../shared/schemas/tenant.ts'
import { catchProblem, type createTestClient, type openVault } from '../vault.ts'

export type TestVault = ReturnType<typeof openVault>
export type TestClient = ReturnType<typeof createTestClient>
export type NewToken = Parameters<TestClient['tokens']['create']>[0]

/** Returns the names of the fields that a call has errors for. Fails if its status is not 400. */
export async function catchErrorFields(promise: Promise<unknown>): Promise<string[]> {
  const { status, errors } = await catchProblem(promise)
  expect(status).toBe(400)
  return Object.keys(errors ?? {})
}

export function updateSettings({ owner }: TestVault, settings: Partial<SettingsPatch>) {
  return owner.tenants.update({ name: 'Test', settings })
}

export function createIdempotency(path = '/tokens', method = 'POST', key = 'once'): CallInfo {
  return { idempotency: { key, method, path } }
}

/** Returns the time in ISO format that is `ms` milliseconds after the current time of the vault's clock. */
export function formatTimeIn({ clock }: TestVault, ms: number): string {
  return new Date(clock.ms + ms).toISOString()
}
