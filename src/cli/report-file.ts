/** The page that `report` writes by default. */
export const REPORT_FILE = 'svtrain-report.html'
