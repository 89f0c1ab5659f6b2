import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The projects in the order in which they run, the one with the quickest files last. They do not alternate, because a
 * process serves only one project and would be restarted for each.
 */
const projects = ['whole', 'window', 'alone', 'quick']

/**
 * Runs the projects one after another. In each, the files that took longest in the last run come first, or the largest
 * files if no run is recorded.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const getPlace = ({ project }: TestSpecification) => projects.indexOf(project.name)
    return (await super.sort(files)).toSorted((a, b) => getPlace(a) - getPlace(b))
  }
}
