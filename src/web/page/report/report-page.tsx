import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { REPORT_STYLE, reportTree } from '../../../models/report/index.js';
import type { ReportPage } from '../../contract/index.js';
import { Loading } from '../frame/loading.js';
import { usePage } from '../page-context.js';
import { elementOf } from './tree.js';

/** The report of a run, the same as in the file that `holdfast report --html` writes. */
export function ReportView({ id }: { id: string }) {
  const { store } = usePage();
  const report = useSignal<ReportPage | null>(null);
  const fault = useSignal<string | null>(null);
  useReportStyle();
  useEffect(() => {
    let isLeft = false;
    void store.api.report(id).then((reply) => {
      if (isLeft) return;
      if (reply.isDone) report.value = reply.value;
      else fault.value = reply.status === 404 ? 'There is no such run.' : (reply.refusal?.message ?? OFFLINE);
    });
    return () => {
      isLeft = true;
    };
  }, [store, id, report, fault]);
  return (
    <section class="run">
      <p class="crumb">
        <a href={`/r/${id}`}>‹ Run</a>
      </p>
      {fault.value !== null ? (
        <p class="empty">{fault.value}</p>
      ) : report.value === null ? (
        <Loading title="" />
      ) : (
        <Shown report={report.value} />
      )}
    </section>
  );
}

const OFFLINE = 'The server did not answer. Reload the page when you are online.';

function Shown({ report }: { report: ReportPage }) {
  return <>{useMemo(() => elementOf(reportTree(report)), [report])}</>;
}

/** Adds the report's own style as a constructed style sheet, which the policy lets our script make. */
function useReportStyle(): void {
  useEffect(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(REPORT_STYLE);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    };
  }, []);
}
