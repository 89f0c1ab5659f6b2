import { expect, test } from 'vitest'
import {
  type ApplicationUse,
  addUses,
  compareUses,
} from '../../renderer/screens/applications/rules/compare-uses.ts'
import {
  createRuleDraft,
  describeChanges,
  type GrantsDraft,
} from '../../renderer/screens/applications/rules/grants.ts'
import { proposeRules } from '../../renderer/screens/applications/rules/propose-rules.ts'
import type { Permission } from '../../shared/permissions.ts'
import type { RuleTransform } from '../../shared/schemas/rule.ts'

function createRule(key: number, container: string, transform: RuleTransform, ...permissions: Permission[]) {
  return { key, description: '', container, transform, permissions }
}

const current: GrantsDraft = {
  type: 'private',
  permissions: ['documents:read'],
  rules: [
    createRule(0, '/pci/', 'reveal', 'token:read', 'token:use'),
    createRule(1, '/', 'mask', 'token:read', 'token:create', 'token:update', 'proxy:invoke'),
  ],
}

function createUse(
  permission: Permission,
  subjects: string[][],
  more: Partial<ApplicationUse> = {},
): ApplicationUse {
  return {
    operation: 'tokens.get',
    permissions: [permission],
    subjects,
    complete: true,
    transform: null,
    scope: null,
    refused: false,
    session: null,
    requests: 1,
    ...more,
  }
}

const proposeFrom = (...uses: ApplicationUse[]) => {
  const proposal = proposeRules(current, uses)
  return (
    proposal && {
      ...proposal,
      draft: proposal.draft.rules.map(
        ({ container, transform, permissions }) => `${container} ${transform} ${permissions.join(' ')}`,
      ),
      everywhere: proposal.draft.permissions,
    }
  )
}

test('proposed rules grant what was used, on the containers of its tokens and no wider', () => {
  const proposal = proposeFrom(
    createUse('token:read', [['/pci/high/']], { transform: 'reveal', requests: 4 }),
    createUse('token:read', [['/a/', '/b/']], { transform: 'mask' }),
    createUse('token:update', [['/a/', '/b/']], { transform: 'mask' }),
    createUse('token:read', [['/other/']], { refused: true }),
    // A list needs the permission anywhere, which is granted already.
    createUse('token:read', [], { operation: 'tokens.list' }),
  )
  expect(proposal).toMatchObject({
    draft: ['/pci/high/ reveal token:read', '/a/ mask token:read token:update', '/b/ mask token:update'],
    everywhere: [],
    requests: 7,
    widenedFrom: null,
    keepsScopes: false,
  })
  expect(proposeFrom(createUse('token:read', [], { refused: true }))).toBe(null)
})

test('what the log does not name keeps the container of its rule, or its grant', () => {
  const proposal = proposeFrom(
    createUse('token:create', [], { complete: false, transform: 'mask', scope: '/' }),
    createUse('documents:read', []),
    createUse('proxy:invoke', []),
  )
  expect(proposal).toMatchObject({
    draft: ['/ mask token:create proxy:invoke'],
    everywhere: ['documents:read'],
    keepsScopes: true,
  })
})

test('many used containers are joined, with the strongest transform that was used', () => {
  const many = Array.from({ length: 30 }, (_, at) =>
    createUse('token:read', [[`/customers/${at}/`]], { transform: at === 3 ? 'reveal' : 'mask' }),
  )
  expect(proposeFrom(...many)).toMatchObject({ draft: ['/customers/ reveal token:read'], widenedFrom: 30 })
})

test('compared requests are refused, allowed or shown otherwise only where the log knows their containers', () => {
  const uses = addUses(
    [
      createUse('token:read', [['/a/']], { transform: 'reveal', requests: 2 }),
      createUse('token:use', [['/a/']]),
    ],
    [
      createUse('token:read', [['/a/']], { transform: 'reveal', requests: 3 }),
      createUse('token:delete', [], { refused: true }),
      createUse('token:create', [], { complete: false }),
    ],
  )
  expect(uses).toHaveLength(4)
  const verdict = compareUses(uses, ({ permissions: [permission] }) => {
    if (permission === 'token:use') return { allowed: false, transform: null, rule: null }
    return { allowed: true, transform: 'mask', rule: 1 }
  })
  expect(verdict).toMatchObject({ total: 8, other: 5, refused: 1, allowed: 1, unknown: 1 })
  expect(verdict.lines.map(({ use }) => use.requests)).toEqual([5, 1, 1])
})

test('changes are described one by one', () => {
  const [first, second] = current.rules
  if (!first || !second) throw new Error('expected two rules')
  const after: GrantsDraft = {
    ...current,
    permissions: [],
    rules: [
      { ...second, container: '/a/', description: 'A' },
      { ...first, transform: 'mask', permissions: ['token:read', 'token:delete'] },
      createRule(2, '/new/', 'mask', 'token:read'),
    ],
  }
  expect(describeChanges(current, after)).toEqual([
    '/ becomes /a/',
    '/a/ has another description',
    '/pci/ returns masked',
    '/pci/ gains token:delete',
    '/pci/ loses token:use',
    'New rule on /new/',
    'Rules in another order',
    'everywhere loses documents:read',
  ])
  expect(describeChanges(current, { ...current, rules: [second] })).toEqual(['Rule on /pci/ removed'])
})

test('a rule that replaces a removed one is not a change to it', () => {
  const [first, second] = current.rules
  if (!first || !second) throw new Error('expected two rules')
  const added = createRuleDraft({ ...current, rules: [first] }, null)
  const replaced = { ...current, rules: [first, { ...added, container: '/new/' }] }
  expect(describeChanges(current, replaced)).toEqual([
    `Rule on ${second.container} removed`,
    'New rule on /new/',
  ])
  const again = { ...current, rules: [first, { ...second, key: added.key }] }
  expect(describeChanges(current, again)).toEqual([])
})

test('a use through a session ends no differently than its own rules allow', () => {
  const within = { session: 'within', transform: 'mask' } as const
  const uses = [
    createUse('token:read', [['/a/']], within),
    createUse('token:read', [['/a/']], { ...within, session: 'limited' }),
    createUse('token:read', [['/b/']], { refused: true, session: 'within' }),
  ]
  const allowAll = () => ({ allowed: true, transform: 'reveal', rule: 1 }) as const
  expect(compareUses(uses, allowAll)).toMatchObject({
    total: 3,
    other: 1,
    allowed: 0,
    refused: 0,
    unknown: 1,
  })
})
