import { expect, test } from 'vitest'
import { findSettings } from '../../renderer/screens/settings/find-settings.ts'
import { sectionGroups, sectionNames } from '../../renderer/screens/settings/sections.ts'

test('a setting is found by the words of its label, its description, its section or its name in the API', () => {
  expect(findSettings('allowed origin')[0]).toEqual({ section: 'listener', label: 'Allowed web origins' })
  expect(findSettings('cors')).toEqual([{ section: 'listener', label: 'Allowed web origins' }])
  expect(findSettings('429')).toContainEqual({ section: 'tenant', label: 'Rate limits' })
  expect(findSettings('log_retention_days')).toEqual([{ section: 'tenant', label: 'Log retention, days' }])
  for (const typed of ['retention', 'log size', 'request history'])
    expect(findSettings(typed)).toContainEqual({ section: 'tenant', label: 'Log retention, records' })
  expect(findSettings('timeout').map(({ section }) => section)).toEqual(['window', 'faults'])
  expect(findSettings('RECOVERY lost')).toEqual([{ section: 'keys', label: 'Recovery key' }])
  expect(findSettings('  ')).toEqual([])
  expect(findSettings('nothing like it')).toEqual([])
})

test('every section of the settings is in one of three groups', () => {
  expect(sectionGroups.map(({ label }) => label)).toEqual(['Vault', 'Network', 'Test'])
  expect(sectionGroups.flatMap(({ names }) => names)).toEqual(sectionNames)
})
