import { createExamples } from './example.ts'

export const date = createExamples('date', [
  'date: format',
  'Formats a date as strftime does, always in UTC and in English. Accepts a date-time, seconds since 1970, or now. Text that is not a date is unchanged.',
  ["{{ data | date: '%Y-%m-%d' }}", '2030-04-01T23:30:00-02:00', '2030-04-02'],
  ["{{ data | date: '%b %-d, %Y at %l:%M %p' }}", 'April 9, 2030 14:05', 'Apr 9, 2030 at  2:05 PM'],
  ["{{ data | date: '%FT%T%:z' }}", 0, '1970-01-01T00:00:00+00:00'],
  ["{{ data | date: '%Y' }}", 'soon', 'soon'],
  ["{{ 'now' | date: '%Y' }}", null, 'random', '^\\d{4}$'],
])
