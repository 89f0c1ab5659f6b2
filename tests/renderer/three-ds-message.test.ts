import { expect, test } from 'vitest'
import { describeMessage } from '../../renderer/screens/sessions/three-ds-message.ts'

const session = {
  id: '6f1f3c1e-0c2f-4d5a-9a53-0d0f7c4a1b10',
  state: 'refused',
  type: 'customer',
  card_brand: 'Visa',
  directory_status: 'challenge',
  status: 'failed',
  choice: 'cancel',
  created_at: '',
  expires_at: '',
} as const
const applications = [
  { id: 'page', type: 'public' },
  { id: 'server', type: 'private' },
] as const

const describeRecord = (action: string, actor_type: string, actor_id?: string, status = 200) =>
  describeMessage({ action, actor_type, actor_id, status }, session, applications)

test('S-01 a message names who sent it: the page, the server, the owner, or the cardholder on a page', () => {
  expect(describeRecord('threeDs.create', 'application', 'page')).toMatchObject({ from: 'page', to: 'vault' })
  expect(describeRecord('threeDs.authenticate', 'application', 'server')).toEqual({
    from: 'server',
    to: 'bank',
    text: 'Authenticate',
    outcome: '→ Challenge',
  })
  expect(describeRecord('threeDs.answerChallenge', 'cardholder')).toMatchObject({
    from: 'page',
    to: 'bank',
    outcome: 'Canceled → Failed',
  })
  expect(describeRecord('threeDs.decide', 'owner')).toMatchObject({ from: 'owner', to: 'bank' })
  expect(describeRecord('threeDs.getChallengeResult', 'owner')).toMatchObject({ from: 'owner', to: 'vault' })
})

test('S-01 a refused message has no outcome, and an action without a text keeps its name', () => {
  expect(describeRecord('threeDs.authenticate', 'application', 'server', 400).outcome).toBeUndefined()
  expect(describeRecord('threeDs.other', 'session').text).toBe('threeDs.other')
})
