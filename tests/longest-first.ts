import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * A process serves one project: in alternation, each would be stopped and started again. The quickest files come last.
 */
const projects = ['whole', 'window', 'alone', 'quick']
/** The slowest files of each project, as paths in this folder. */
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

/** Runs the slowest files first, even without timings of an earlier run, and small files last. */
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
