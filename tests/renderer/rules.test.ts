import { expect, test } from 'vitest'
import { describeChanges, type GrantsDraft } from '../../renderer/screens/applications/rules/grants.ts'
import { addUses, judgeUses, type LoggedUse } from '../../renderer/screens/applications/rules/judge-uses.ts'
import { proposeRules } from '../../renderer/screens/applications/rules/propose-rules.ts'
import type { Permission } from '../../shared/permissions.ts'
import type { RuleTransform } from '../../shared/schemas/rule.ts'

function rule(key: number, container: string, transform: RuleTransform, ...permissions: Permission[]) {
  return { key, description: '', container, transform, permissions }
}

const current: GrantsDraft = {
  type: 'private',
  permissions: ['documents:read'],
  rules: [
    rule(0, '/pci/', 'reveal', 'token:read', 'token:use'),
    rule(1, '/', 'mask', 'token:read', 'token:create', 'token:update', 'proxy:invoke'),
  ],
}

function use(permission: Permission, subjects: string[][], more: Partial<LoggedUse> = {}): LoggedUse {
  return {
    operation: 'tokens.get',
    permissions: [permission],
    subjects,
    complete: true,
    transform: null,
    scope: null,
    refused: false,
    requests: 1,
    ...more,
  }
}

const propose = (...uses: LoggedUse[]) => {
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
  const proposal = propose(
    use('token:read', [['/pci/high/']], { transform: 'reveal', requests: 4 }),
    use('token:read', [['/a/', '/b/']], { transform: 'mask' }),
    use('token:update', [['/a/', '/b/']], { transform: 'mask' }),
    use('token:read', [['/other/']], { refused: true }),
    // A list needs the permission anywhere, which is granted already.
    use('token:read', [], { operation: 'tokens.list' }),
  )
  expect(proposal).toMatchObject({
    draft: ['/pci/high/ reveal token:read', '/a/ mask token:read token:update', '/b/ mask token:update'],
    everywhere: [],
    requests: 7,
    widenedFrom: null,
    keepsScopes: false,
  })
  expect(propose(use('token:read', [], { refused: true }))).toBe(null)
})

test('what the log does not name keeps the container of its rule, or its grant', () => {
  const proposal = propose(
    use('token:create', [], { complete: false, transform: 'mask', scope: '/' }),
    use('documents:read', []),
    use('proxy:invoke', []),
  )
  expect(proposal).toMatchObject({
    draft: ['/ mask token:create proxy:invoke'],
    everywhere: ['documents:read'],
    keepsScopes: true,
  })
})

test('many used containers are joined, with the strongest transform that was used', () => {
  const many = Array.from({ length: 30 }, (_, at) =>
    use('token:read', [[`/customers/${at}/`]], { transform: at === 3 ? 'reveal' : 'mask' }),
  )
  expect(propose(...many)).toMatchObject({ draft: ['/customers/ reveal token:read'], widenedFrom: 30 })
})

test('judged requests are refused, allowed or shown otherwise only where the log knows their containers', () => {
  const uses = addUses(
    [use('token:read', [['/a/']], { transform: 'reveal', requests: 2 }), use('token:use', [['/a/']])],
    [
      use('token:read', [['/a/']], { transform: 'reveal', requests: 3 }),
      use('token:delete', [], { refused: true }),
      use('token:create', [], { complete: false }),
    ],
  )
  expect(uses).toHaveLength(4)
  const verdict = judgeUses(uses, ({ permissions: [permission] }) => {
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
      rule(2, '/new/', 'mask', 'token:read'),
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
