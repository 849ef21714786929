# Computes the estimates and contrasts of an mqttlab report from its table of values, with the methods of
# docs/reference/statistics.md. Needs R 3.6 or later.
#
#   VALUES=values.parquet BASELINE=plain Rscript report-intervals.R
#
# VALUES    path of values.parquet, or of values.csv. Parquet needs the package arrow or nanoparquet.
# BASELINE  label of the treatment that the others are compared with. Default: the first one by name.
# EQUAL     factors that have the same level on both sides of a contrast, separated by commas. If security settings
#           vary, these are the other factors that vary. Otherwise, these are all varied factors except the first.
# LEVEL     level of the intervals. If a stopping rule chose the number of repetitions, use the level that the report
#           states. Default: 0.95
# RESULTS   folder for estimates.csv and contrasts.csv. Default: the current folder.

# Labels contain characters beyond ASCII; names are ordered by code.
if (!l10n_info()[["UTF-8"]]) invisible(Sys.setlocale("LC_CTYPE", "C.UTF-8"))
invisible(Sys.setlocale("LC_COLLATE", "C"))

path <- Sys.getenv("VALUES", "values.parquet")
baseline_label <- Sys.getenv("BASELINE", "")
equal <- setdiff(strsplit(Sys.getenv("EQUAL", ""), ",")[[1]], "")
level <- as.numeric(Sys.getenv("LEVEL", "0.95"))
results <- Sys.getenv("RESULTS", ".")

# Fewer runs give no interval.
min_runs <- 3

read_values <- function(path) {
  if (grepl("\\.csv$", path)) {
    return(read.csv(path, na.strings = "", stringsAsFactors = FALSE, check.names = FALSE))
  }
  if (requireNamespace("arrow", quietly = TRUE)) return(as.data.frame(arrow::read_parquet(path)))
  if (requireNamespace("nanoparquet", quietly = TRUE)) return(as.data.frame(nanoparquet::read_parquet(path)))
  stop("VALUES: Parquet needs the package arrow or nanoparquet. Install one of them, or export values.csv.")
}

is_true <- function(x) if (is.logical(x)) x %in% TRUE else tolower(x) %in% "true"

table <- read_values(path)
if (!"resolution" %in% names(table)) {
  stop(sprintf("VALUES: %s has no column resolution. Export it again with mqttlab 1.0 or later.", path))
}

# A value counts if its run is done, is the attempt that counts, was not excluded by a user, and no failed verdict
# affects the metric.
valid <- table[table$status == "done" & is_true(table$counts) & !is_true(table$flagged) & is.na(table$excluded), ]
valid$unit[is.na(valid$unit)] <- ""
cat(sprintf("%d of %d values are valid, of %d metrics\n", nrow(valid), nrow(table), length(unique(valid$metric))))

# Positive quantities are averaged and compared on the log scale.
is_on_log_scale <- function(values, quantity) quantity == "positive" && all(values > 0)

possible_range <- function(quantity, unit) {
  if (quantity == "signed") return(c(-Inf, Inf))
  if (quantity == "proportion") return(c(0, if (unit == "%") 100 else 1))
  c(0, Inf)
}

# Centre and limits; NA without an interval. Values that are the same in every run are exact.
estimate <- function(values, quantity, unit) {
  n <- length(values)
  if (n > 1 && all(values == values[1])) return(c(values[1], NA, NA))
  log_scale <- is_on_log_scale(values, quantity)
  x <- if (log_scale) log(values) else values
  half <- if (n >= min_runs) qt((1 + level) / 2, n - 1) * sd(x) / sqrt(n) else NA
  limits <- mean(x) + c(0, -half, half)
  if (log_scale) return(exp(limits))
  range <- possible_range(quantity, unit)
  c(limits[1], max(limits[2], range[1]), min(limits[3], range[2]))
}

is_same <- function(values) {
  all(abs(values - values[1]) <= 1e-12 * pmax(abs(values), abs(values[1])))
}

# Pairs two sides by repetition. If fewer than three repetitions have both sides although each side has three runs, they
# stay unpaired.
match_sides <- function(a, b) {
  common <- sort(intersect(a$repetition, b$repetition))
  is_wasteful <- length(common) < min_runs && min(nrow(a), nrow(b)) >= min_runs
  if (length(common) == 0 || is_wasteful) return(list(a = a$value, b = b$value, paired = FALSE))
  list(a = a$value[match(common, a$repetition)], b = b$value[match(common, b$repetition)], paired = TRUE)
}

# Compares two tables of one metric.
contrast <- function(treatment, baseline, quantity, unit) {
  sides <- match_sides(treatment, baseline)
  a <- sides$a
  b <- sides$b
  runs <- min(length(a), length(b))
  ratio <- is_on_log_scale(c(a, b), quantity)
  back <- if (ratio) exp else identity
  centres <- c(estimate(a, quantity, unit)[1], estimate(b, quantity, unit)[1])
  none <- function(value) {
    list(scale = if (ratio) "ratio" else "difference", value = value, from = NA, to = NA, p = NA, runs = runs)
  }
  if (runs < 2 || is_same(c(a, b))) {
    return(none(if (ratio) centres[1] / centres[2] else centres[1] - centres[2]))
  }
  x <- if (ratio) log(a) else a
  y <- if (ratio) log(b) else b
  difference <- mean(x) - mean(y)
  # An interval is never narrower than the resolution of the instrument on either side.
  everything <- rbind(treatment, baseline)
  step <- mean(if (ratio) everything$resolution / everything$value else everything$resolution)
  if (sides$paired) {
    d <- x - y
    error <- sd(d) / sqrt(runs)
    df <- runs - 1
    is_constant <- all(abs(d - d[1]) <= if (ratio) 1e-12 else 5e-10)
  } else {
    va <- var(x) / length(x)
    vb <- var(y) / length(y)
    error <- sqrt(va + vb)
    df <- if (error > 0) (va + vb)^2 / (va^2 / (length(x) - 1) + vb^2 / (length(y) - 1)) else runs - 1
    is_constant <- is_same(x) && is_same(y)
  }
  if (runs < min_runs || (step == 0 && is_constant)) return(none(back(difference)))
  quantile <- qt((1 + level) / 2, df)
  error <- max(error, step / quantile)
  found <- none(back(difference))
  found$from <- back(difference - quantile * error)
  found$to <- back(difference + quantile * error)
  found$p <- 2 * pt(abs(difference / error), df, lower.tail = FALSE)
  found
}

# Columns between the label of a treatment and the metric are factors.
columns <- names(table)
factors <- columns[(which(columns == "treatment") + 1):(which(columns == "metric") - 1)]
levels <- unique(table[c("treatment", factors)])
levels[factors] <- lapply(levels[factors], function(x) ifelse(is.na(x), "", as.character(x)))
levels <- levels[order(levels$treatment), ]
if (baseline_label == "") baseline_label <- levels$treatment[1]
if (!baseline_label %in% levels$treatment) {
  stop(sprintf("BASELINE: there is no treatment \"%s\". Choose one of: %s.", baseline_label,
               paste(levels$treatment, collapse = ", ")))
}
if (!all(equal %in% factors)) {
  stop(sprintf("EQUAL: %s is no factor. Choose of: %s.", paste(setdiff(equal, factors), collapse = ", "),
               paste(factors, collapse = ", ")))
}
compared <- setdiff(factors, equal)

# Label of the treatment that this row of `levels` is compared with: it has the levels of the baseline, and the same level
# of every factor in EQUAL. NA for a baseline.
baseline_of <- function(row) {
  chosen <- levels[levels$treatment == baseline_label, ]
  if (all(unlist(levels[row, compared]) == unlist(chosen[compared]))) return(NA)
  wanted <- c(unlist(chosen[compared]), unlist(levels[row, equal, drop = FALSE]))
  fits <- apply(as.matrix(levels[names(wanted)]), 1, function(own) all(own == wanted))
  if (any(fits)) levels$treatment[which(fits)[1]] else baseline_label
}

estimates <- data.frame()
contrasts <- data.frame()
baselines <- vapply(seq_len(nrow(levels)), function(row) as.character(baseline_of(row)), "")
for (metric in unique(valid$metric)) {
  of_metric <- valid[valid$metric == metric, ]
  quantity <- of_metric$quantity[1]
  unit <- of_metric$unit[1]
  of_treatment <- function(label) of_metric[of_metric$treatment == label, ]
  family <- data.frame()
  for (row in seq_len(nrow(levels))) {
    label <- levels$treatment[row]
    own <- of_treatment(label)
    if (nrow(own) == 0) next
    found <- estimate(own$value, quantity, unit)
    estimates <- rbind(estimates, data.frame(
      metric = metric, unit = unit, treatment = label, n = nrow(own),
      value = found[1], from = found[2], to = found[3], stringsAsFactors = FALSE
    ))
    if (is.na(baselines[row])) next
    other <- of_treatment(baselines[row])
    if (nrow(other) == 0) next
    family <- rbind(family, data.frame(
      metric = metric, unit = unit, treatment = label, baseline = baselines[row],
      contrast(own, other, quantity, unit), stringsAsFactors = FALSE
    ))
  }
  if (nrow(family) == 0) next
  # Holm over the contrasts of this metric that have an interval.
  family$p_holm <- NA_real_
  tested <- !is.na(family$p)
  family$p_holm[tested] <- p.adjust(family$p[tested], "holm")
  contrasts <- rbind(contrasts, family)
}

# All digits of a double.
format_number <- function(x) ifelse(is.na(x), NA, trimws(formatC(x, digits = 17, format = "g")))

write_results <- function(rows, name) {
  is_text <- vapply(rows, is.character, TRUE)
  rows[!is_text] <- lapply(rows[!is_text], format_number)
  write.csv(rows, file.path(results, name), row.names = FALSE, na = "", quote = which(is_text))
}

write_results(estimates, "estimates.csv")
write_results(contrasts, "contrasts.csv")
cat(sprintf("%d estimates and %d contrasts written to %s\n", nrow(estimates), nrow(contrasts), normalizePath(results)))
