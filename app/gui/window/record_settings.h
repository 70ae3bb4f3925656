// SPDX-License-Identifier: GPL-3.0-or-later
// How a program is recorded: what its user gives it beyond its name. Remembered for each program.
#pragma once

#include <QDialog>
#include <QStringList>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLineEdit;

namespace lanescope::gui {

struct RecordSettings {
    QString arguments;        ///< of the program, as a shell takes them
    QString definitions;      ///< "N=64 FAST", for -D each
    QString includes;         ///< folders, for -I each
    QString stepInto;         ///< folders and headers, for --step-into each
    QString blocks;           ///< "0:2,0:2"; empty: all
    QString launch;           ///< number; empty: all
    QString maxSteps;         ///< warp instructions of a launch; empty: as the recorder has it
    QString maxBytes;         ///< "512M"; empty: no limit
    QString host;             ///< the machine that records, as ssh takes it; empty: this one
    QString hostCommand;      ///< its lanescope; empty: the one in PATH there
    bool asCompiled = false;  ///< optimised device code

    /// As `lanescope record` takes them, those of the program last, after "--".
    [[nodiscard]] QStringList commandLine() const;
    [[nodiscard]] bool isEmpty() const { return *this == RecordSettings{}; }

    static RecordSettings of(const QString& program);
    void keepFor(const QString& program) const;

    friend bool operator==(const RecordSettings&, const RecordSettings&) = default;
};

class RecordDialog : public QDialog {
    Q_OBJECT

public:
    RecordDialog(const QString& program, const RecordSettings& settings, QWidget* parent = nullptr);
    [[nodiscard]] RecordSettings settings() const;

private:
    void addHost(const RecordSettings& settings);
    QLineEdit* addField(const QString& label, const QString& text, const QString& example);

    QFormLayout* m_form;
    QLineEdit* m_arguments;
    QLineEdit* m_definitions;
    QLineEdit* m_includes;
    QLineEdit* m_stepInto;
    QLineEdit* m_blocks;
    QLineEdit* m_launch;
    QLineEdit* m_maxSteps;
    QLineEdit* m_maxBytes;
    QComboBox* m_host;
    QLineEdit* m_hostCommand;
    QCheckBox* m_asCompiled;
};

/// The machines that programs were recorded on, the last one first.
QStringList knownHosts();

}  // namespace lanescope::gui
