import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CofferError } from '../../shared/errors.ts'
import { parseExpiresAt } from '../../shared/moment.ts'

const now = Date.UTC(2026, 10, 21, 12)
const parseTime = (value: string) => parseExpiresAt(value, now, 'expires_at')
const toUtc = (value: string) => new Date(parseTime(value).at).toISOString()

describe('expires_at', () => {
  test.each([
    ['2030-01-01T00:00:00.000+02:00', '2029-12-31T22:00:00.000Z', '2030-01-01T00:00:00.000+02:00'],
    ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000+00:00'],
    ['2030-01-01T00:00:00', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000+00:00'],
    ['2030-01-01T10:20', '2030-01-01T10:20:00.000Z', '2030-01-01T10:20:00.000+00:00'],
    ['2030-01-01 10:20:30 -0330', '2030-01-01T13:50:30.000Z', '2030-01-01T10:20:30.000-03:30'],
    ['2030-04-17T12:54:44.8320458+00:00', '2030-04-17T12:54:44.832Z', '2030-04-17T12:54:44.832+00:00'],
    ['2030-04-17T12:54:44.5-07', '2030-04-17T19:54:44.500Z', '2030-04-17T12:54:44.500-07:00'],
    ['2030-02-03', '2030-02-03T00:00:00.000Z', '2030-02-03T00:00:00.000+00:00'],
    ['2/3/2030', '2030-02-03T00:00:00.000Z', '2030-02-03T00:00:00.000+00:00'],
    ['12/31/2030', '2030-12-31T00:00:00.000Z', '2030-12-31T00:00:00.000+00:00'],
    ['8/26/2030 7:23:57 PM -07:00', '2030-08-27T02:23:57.000Z', '2030-08-26T19:23:57.000-07:00'],
    ['8/26/2030 12:00:00 AM +05:30', '2030-08-25T18:30:00.000Z', '2030-08-26T00:00:00.000+05:30'],
    ['8/26/2030 12:00:00 PM', '2030-08-26T12:00:00.000Z', '2030-08-26T12:00:00.000+00:00'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z', '2028-02-29T00:00:00.000+00:00'],
  ])('T-14 expires_at %s means %s and is returned as %s', (value, utc, text) => {
    expect([toUtc(value), parseTime(value).text]).toEqual([utc, text])
  })

  test.each([
    '',
    'tomorrow',
    '2030',
    '2030-13-01',
    '2030-00-01',
    '2030-02-30',
    '2027-02-29',
    '2/30/2030',
    '13/1/2030',
    '1/2/30',
    '2030-1-2',
    '2030-01-01T24:00:00Z',
    '2030-01-01T00:60:00Z',
    '2030-01-01T00:00:60Z',
    '2030-01-01T00:00:00+14:01',
    '2030-01-01T00:00:00+02:60',
    '2030-01-01T00:00:00 UTC',
    '2030-01-01+02:00',
    '8/26/2030 0:00:00 AM',
    '8/26/2030 13:00:00 PM',
    '8/26/2030 19:23:57',
    ' 2030-01-01',
    '2030-01-01\n',
    '٢٠٣٠-01-01',
    '1893456000000',
    '+012030-01-01T00:00:00Z',
  ])('T-14 the expires_at %j is rejected without being repeated', (value) => {
    const error = expect.objectContaining({ errors: { expires_at: [expect.stringMatching(/^must /)] } })
    expect(() => parseTime(value)).toThrow(error)
  })

  test('T-14 expires_at in the past is rejected, and the current time is accepted', () => {
    for (const value of [
      '2026-11-21T11:59:59.999Z',
      '2026-11-21',
      '2026-11-21T12:00:00+00:01',
      '0030-01-01',
    ]) {
      expect(() => parseTime(value), value).toThrow(CofferError)
    }
    expect(parseTime('2026-11-21T12:00:00Z').at).toBe(now)
    expect(parseTime('2026-11-21T12:00:00-00:01').at).toBe(now + 60_000)
  })

  test('A-13 expires_at is returned as the same time with the same offset', () => {
    const moment = fc.integer({ min: Date.UTC(2027, 0, 1), max: Date.UTC(9998, 11, 31) })
    const offset = fc.integer({ min: -14 * 60, max: 14 * 60 })
    fc.assert(
      fc.property(moment, offset, (at, minutes) => {
        const sign = minutes < 0 ? '-' : '+'
        const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
        const zone = `${sign}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
        const text = `${new Date(at + minutes * 60_000).toISOString().slice(0, -1)}${zone}`
        expect(parseTime(text)).toEqual({ at, text })
        expect(Date.parse(parseTime(text).text)).toBe(at)
      }),
    )
  })

  test('X-27 neither daylight saving nor a clock set back changes expires_at', () => {
    const zone = process.env.TZ
    try {
      const read = ['UTC', 'America/New_York', 'Australia/Lord_Howe'].map((name) => {
        process.env.TZ = name
        // 02:30 on this day does not exist in New York.
        return [
          parseTime('2030-03-10T02:30:00').at,
          parseTime('3/10/2030 2:30:00 AM').at,
          parseTime('2030-03-10').at,
        ]
      })
      expect(read).toEqual(
        Array(3).fill([Date.UTC(2030, 2, 10, 2, 30), Date.UTC(2030, 2, 10, 2, 30), Date.UTC(2030, 2, 10)]),
      )
    } finally {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    }
    expect(parseExpiresAt('2030-01-01', 0, 'expires_at')).toEqual(parseTime('2030-01-01'))
  })
})
