import { expect, test } from 'vitest'
import {
  getPermissionVerb,
  groupPermissions,
  listHoldablePermissions,
  splitByUse,
} from '../../renderer/parts/access/permission-groups.ts'
import { permissionNames } from '../../shared/permissions.ts'

test('P-01 every permission has a group and a name in the window', () => {
  const groups = groupPermissions(permissionNames)
  expect(groups.flatMap(({ permissions }) => permissions).toSorted()).toEqual(permissionNames.toSorted())
  for (const { subject, name, permissions } of groups) {
    expect(name).not.toBe('')
    expect(permissions.map((each) => `${subject}:${getPermissionVerb(each)}`)).toEqual(permissions)
  }
})

test('P-01 permissions without effect are listed separately', () => {
  const { useful, useless } = splitByUse(listHoldablePermissions('management'))
  expect(useful).toContain('tenant:read')
  expect(useless).toContain('tenant:delete')
  expect([...useful, ...useless].toSorted()).toEqual(listHoldablePermissions('management').toSorted())
})
