/** Runs in the page: what a reader finds there, and what would be hard to read. An expression, without anything from outside. */
;(() => {
  const all = (selector) => [...document.querySelectorAll(selector)]
  const numbers = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number)

  /** As WCAG defines it. */
  function luminance(colour) {
    const [r, g, b] = numbers(colour).map((part) => {
      const share = part / 255
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }

  function backgroundOf(element) {
    if (element === null) return 'rgb(255, 255, 255)'
    const { backgroundColor } = getComputedStyle(element)
    return (numbers(backgroundColor)[3] ?? 1) === 0 ? backgroundOf(element.parentElement) : backgroundColor
  }

  function contrastOf(element) {
    const both = [getComputedStyle(element).color, backgroundOf(element)].map(luminance)
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05)
  }

  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')
  const diff = document.querySelector('details')
  // As a click does; no script of the page takes part in it.
  diff.open = true
  return {
    title: document.title,
    headings: all('h2').map((heading) => heading.textContent),
    iterations: all('h3').length,
    unnamedCharts: all('svg').filter((chart) => !chart.querySelector('title')?.textContent).length,
    opensDiff: diff.querySelector('pre').offsetHeight > 0,
    scrollsSideways: document.documentElement.scrollWidth > innerWidth,
    isDark: luminance(backgroundOf(document.body)) < 0.5,
    faint: all('body *')
      .filter((element) => hasText(element) && element.closest('svg') === null && contrastOf(element) < 4.5)
      .map((element) => `${element.tagName} ${element.className}: ${contrastOf(element).toFixed(2)}`),
  }
})()
