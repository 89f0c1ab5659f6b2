import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** A process serves one project: taken in turns, each would be left and started again. The quickest files come last. */
const projects = ['whole', 'window', 'alone', 'quick']
/** What takes longest in its project, as paths in this folder. */
const longest = [
  'guides',
  'soak/crash-rounds',
  'desktop',
  'testing',
  'cli',
  'host',
  'e2e/accessibility',
  'e2e/documents',
  'e2e/many',
  'e2e/window',
  'e2e/webhooks',
  'e2e/journeys',
  'http/conformance',
  'reactors/attacks',
  'http/nobody-waits',
  'http/reactors',
  'http/bad-input',
]

/** Starts the longest files first, also where no earlier run told how long each takes, and ends with small ones. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification) => {
      const file = path.relative(import.meta.dirname, moduleId).replaceAll(path.sep, '/')
      const found = longest.findIndex((each) => file.startsWith(each))
      return projects.indexOf(project.name) * 100 + (found < 0 ? longest.length : found)
    }
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b))
  }
}
