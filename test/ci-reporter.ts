import type { Reporter, TestModule } from 'vitest/node'

/** Closing line in a form that any CI log reader understands: `N passed, N failed`. */
export default class CiReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    let passed = 0
    let failed = 0
    let skipped = 0
    for (const m of modules) {
      if (m.errors().length > 0) failed++
      for (const t of m.children.allTests()) {
        const { state } = t.result()
        if (state === 'passed') passed++
        else if (state === 'failed') failed++
        else skipped++
      }
    }
    console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
  }
}
