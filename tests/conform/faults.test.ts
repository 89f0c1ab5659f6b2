import { expect, test } from 'vitest'
import { statements } from '../../electron/conform/statements/index.ts'
import {
  checkLocalServer,
  type PassingAnswer,
  serveForConform,
  startAlteringProxy,
} from './serve-for-conform.ts'

/** How long a run waits for what a fault may have made impossible. */
const UNTIL_MS = 300

type Members = Record<string, unknown>

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Changes members of an answer's body, or of one of its members, if it is an object. Undefined removes a member. */
const changeMembers =
  (method: string, path: RegExp, change: (members: Members) => Members, inside?: string) =>
  (answer: PassingAnswer): void => {
    if (answer.method !== method || !path.test(answer.path) || !isMembers(answer.body)) return
    const members = inside === undefined ? answer.body : answer.body[inside]
    if (isMembers(members)) Object.assign(members, change(members))
  }

/** Changes a status to another one. */
const changeStatus =
  (from: number, to: number, method = /./, path = /./) =>
  (answer: PassingAnswer): void => {
    if (answer.status === from && method.test(answer.method) && path.test(answer.path)) answer.status = to
  }

/** One fault of a copy of Coffer, and the rule that it breaks. */
const faults: Record<string, [rule: string, alterAnswer: (answer: PassingAnswer) => void]> = {
  'an id that is no UUID': [
    'T-04',
    changeMembers('POST', /^\/tokens$/, (body) => ({ id: `tok_${body.id}` })),
  ],
  'a mask that shows six digits': [
    'T-02',
    (answer) => {
      answer.body = JSON.parse(JSON.stringify(answer.body).replaceAll('XXXXXXXXXXXX4242', 'XXXXXXXXXX424242'))
    },
  ],
  '422 for data that is not valid': ['T-03', changeStatus(400, 422)],
  '_extras in every answer': ['T-08', changeMembers('GET', /^\/tokens\//, () => ({ _extras: {} }))],
  'a fingerprint that changes': [
    'T-09',
    changeMembers('POST', /^\/tokens$/, () => ({ fingerprint: String(Math.random()) })),
  ],
  'duplicates that do not say so': [
    'T-10',
    changeMembers('POST', /^\/tokens$/, () => ({ _extras: { deduplicated: false } })),
  ],
  'a deleted token that is gone rather than missing': ['T-11', changeStatus(404, 410)],
  '400 for a content type that PATCH does not take': ['T-12', changeStatus(415, 400)],
  'a brand in capitals': [
    'T-16',
    changeMembers('POST', /^\/tokens$/, ({ brand }) => ({ brand: String(brand).toUpperCase() }), 'card'),
  ],
  '403 without a key': ['A-04', changeStatus(401, 403)],
  'errors without the members they are about': [
    'A-05',
    changeMembers('POST', /./, () => ({ errors: undefined })),
  ],
  '200 for what was created': ['A-07', changeStatus(201, 200, /POST/)],
  'no trace id': ['A-11', ({ headers }) => void delete headers['bt-trace-id']],
  'a list that never goes on': [
    'L-04',
    changeMembers('GET', /^\/v2\/tokens$/, () => ({ next: undefined }), 'pagination'),
  ],
  'pages that are counted from zero': [
    'L-05',
    changeMembers('GET', /./, ({ page_number }) => ({ page_number: Number(page_number) - 1 }), 'pagination'),
  ],
  'a key that is shown again': [
    'K-01',
    changeMembers('GET', /^\/applications\/[^/]+$/, () => ({ key: 'key_test_us_pvt_shown' })),
  ],
  '400 for the fourth key': ['K-03', changeStatus(422, 400)],
  '404 for a token of others': ['P-11', changeStatus(403, 404)],
  'a token intent that shows its data': [
    'O-03',
    changeMembers('POST', /^\/token-intents$/, () => ({ data: '4242424242424242' })),
  ],
  'a container that is not in lower case': [
    'P-10',
    (answer) => {
      answer.body = JSON.parse(JSON.stringify(answer.body ?? '').replaceAll('/upper/', '/Upper/'))
    },
  ],
  'a list in the order of creation': [
    'L-03',
    ({ method, path, body }) => {
      if (method === 'GET' && path === '/v2/tokens' && isMembers(body) && Array.isArray(body.data))
        body.data.reverse()
    },
  ],
  'times that end in Z': [
    'A-13',
    (answer) => {
      answer.body = JSON.parse(JSON.stringify(answer.body ?? '').replaceAll('+00:00"', 'Z"'))
    },
  ],
  'a card that shows its whole number under a mask': [
    'P-08',
    changeMembers('PATCH', /^\/tokens\//, ({ data }) => ({ data: data === undefined ? data : 'abcdefgh' })),
  ],
  'a deleted key that still works': ['K-03', changeStatus(401, 200, /GET/, /^\/v2\/tokens$/)],
  'a proxy that forgets its configuration on a patch': [
    'G-01',
    changeMembers('GET', /^\/proxies\/[^/]+$/, () => ({ configuration: {} })),
  ],
  'a session that never expires': [
    'O-04',
    changeMembers('POST', /^\/sessions$/, () => ({ expires_at: undefined })),
  ],
  'an error of a proxy without its wrapper': [
    'G-06',
    changeMembers('POST', /^\/proxy$/, ({ proxy_error }) => ({
      ...(isMembers(proxy_error) && proxy_error),
      proxy_error: undefined,
    })),
  ],
  'a document of another type': [
    'D-01',
    ({ path, headers }) => {
      if (path.endsWith('/data')) headers['content-type'] = 'application/octet-stream'
    },
  ],
  'a network token that is suspended twice': ['Z-03', changeStatus(409, 200, /PUT/)],
  '201 for tokenize': ['O-01', changeStatus(200, 201, /POST/, /^\/tokenize$/)],
}

test('Q-01 a copy of Coffer with one fault is found out in each of thirty places', {
  timeout: 180_000,
}, async () => {
  const server = await serveForConform()
  expect(Object.keys(faults)).toHaveLength(30)
  const missed: string[] = []
  for (const [fault, [rule, alterAnswer]] of Object.entries(faults)) {
    const about = Object.values(statements)
      .flat()
      .filter((statement) => statement.rule === rule)
    const url = await startAlteringProxy(server.url, alterAnswer)
    const report = await checkLocalServer({ ...server, url }, { [rule]: about }, UNTIL_MS)
    if (!report.outcomes.some(({ result }) => result === 'differs')) missed.push(fault)
  }
  expect(missed).toEqual([])
})
