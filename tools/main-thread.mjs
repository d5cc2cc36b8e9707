/** What a page's main thread does: the processor time of each of its tasks, which a busy machine does not stretch as it does the clock. */

/**
 * Milliseconds of the processor for each task that the page runs while something is done.
 *
 * @param {import("playwright").Browser} browser
 * @param {import("playwright").Page} page
 * @param {() => Promise<void>} act
 * @returns {Promise<number[]>}
 */
export async function tasksDuring(browser, page, act) {
  await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline", "__metadata"] });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const key = (/** @type {any} */ event) => `${event.pid} ${event.tid}`;
  const isMain = (/** @type {any} */ event) => event.name === "thread_name" && event.args.name === "CrRendererMain";
  const mains = new Set(traceEvents.filter(isMain).map(key));
  return traceEvents
    .filter((/** @type {any} */ event) => event.name === "RunTask" && event.ph === "X" && mains.has(key(event)))
    .map((/** @type {any} */ event) => Math.round((event.tdur ?? event.dur) / 1000));
}

/**
 * Zooms into the middle of the map and moves it.
 *
 * @param {import("playwright").Page} page
 */
export async function zoomAndMove(page) {
  await page.mouse.move(800, 450);
  for (let i = 0; i < 8; i++) {
    await page.mouse.wheel(0, -120);
    await page.waitForTimeout(150);
  }
  await page.mouse.down();
  for (let i = 0; i < 10; i++) {
    await page.mouse.move(800 + 15 * i, 450 + 6 * i);
    await page.waitForTimeout(80);
  }
  await page.mouse.up();
  await page.waitForTimeout(500);
}
