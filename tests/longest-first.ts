import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What starts whole programs and browsers, and what takes longest among that, as paths in this folder. */
const longest = ['guides', 'e2e/window', 'e2e/journeys', 'e2e', 'desktop', 'testing', 'cli', 'host']

/** Starts the longest files first, also where no earlier run told how long each takes, and ends with small ones. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const file = path.relative(import.meta.dirname, moduleId).replaceAll(path.sep, '/')
      const found = longest.findIndex((each) => file.startsWith(each))
      return found < 0 ? longest.length : found
    }
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b))
  }
}
